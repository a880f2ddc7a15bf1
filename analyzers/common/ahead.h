/* SPDX-License-Identifier: MIT */
/*
 * A cursor that decodes ahead, in threads of its own.
 *
 * A stream is cut into parts before its chunks; each decoder takes the next part, opens a cursor
 * on it and packs what the cursor gives, pointers and all. The packs are handed out in order, so
 * that the caller is given exactly what one cursor would give. Several threads in the recorded
 * order are one part, for one decoder.
 *
 *	part 0  [pack][pack][pack]            <- being handed out
 *	part 1  [pack][pack] ...              <- decoder 1
 *	part 2  [pack] ...                    <- decoder 2
 *
 * Decoders can also digest batches for an analyzer (analyzer.h). They digest only what is not yet
 * waited for: a batch that the caller would wait for is handed on as it is, so that the caller has
 * work as well, and both have about as much.
 *
 * In a damaged trace it may give events at the end of a damaged chunk that one cursor misses.
 *
 * Memory: up to 2 MiB of packs a decoder; a decoder that is so far ahead waits.
 */
#ifndef AHEAD_H
#define AHEAD_H

#include "analyzers/common/chunks.h"
#include "traceformat/traceformat.h"

struct ahead;
struct analysis;

/*
 * Opens a cursor with n_decoders decoders. With 0, or if the system gives no threads, the caller of
 * ahead_next decodes. reader: loaded; chunks: the reader's, read only here; run: whose analyzer
 * digests, NULL: none does. Ends the process if memory is out, as all functions here do.
 */
struct ahead *ahead_open(struct tf_reader *reader, const struct chunk_list *chunks,
			 const struct tf_cursor_options *options, unsigned n_decoders,
			 const struct analysis *run);

/* Does what tf_next does. Options that tf_cursor_open refuses are refused here. */
int ahead_next(struct ahead *ahead, struct tf_item *item, struct tf_error *error);

/*
 * Returns the digest of the batches that the last item stands for, or NULL. The item then has only
 * their instructions. The digest has to be taken before the next call of ahead_next.
 */
void *ahead_digest(struct ahead *ahead);

/* Ends the decoders, even if they have not finished. */
void ahead_close(struct ahead *ahead);

#endif
