/* SPDX-License-Identifier: MIT */
/*
 * A stream: the accesses of certain kinds, in blocks of one size, with their LRU stack and its
 * distances.
 */
#ifndef LOCALITY_STREAM_H
#define LOCALITY_STREAM_H

#include <stdbool.h>

#include "analyzers/locality/accesses.h"
#include "analyzers/locality/distances.h"
#include "analyzers/locality/lru_stack.h"
#include "traceformat/common/array.h"

struct stream_kind {
	unsigned kinds; /* enum access_kind, or-ed */
	unsigned shift; /* log2 of the bytes of a block, below 64 */
};

struct stream {
	struct stream_kind kind;
	struct lru_stack stack;
	struct distances distances;
	struct distances *all; /* those that were cleared; NULL: they are forgotten */
	bool keeps_firsts;
	ARRAY(uint64_t) firsts; /* blocks in the order of their first touches, if kept */
	uint64_t most;          /* distances of so many and more count as cold; 0: no limit */
};

/* Initializes a stream. keeps_firsts: it will be merged. Ends the process if memory is out. */
void stream_init(struct stream *stream, struct stream_kind kind, bool keeps_firsts);
void stream_free(struct stream *stream);

/*
 * Limits a new stream: distances of `most` and more count as cold, so that it needs only so many of
 * its newest blocks, and of its first ones. It forgets others now and then. Lesser distances
 * stay exact, also when limited streams are appended.
 */
void stream_limit(struct stream *stream, uint64_t most);

/* Touches the blocks of each access of the stream's kinds, from the lowest on. */
void stream_feed(struct stream *stream, const struct access *accesses, size_t count);

/*
 * Appends the stream that immediately follows. The result is exact: first touches are looked up in
 * the earlier stack, and then the later stack comes on top of it (Q. Niu et al., "PARDA: A Fast
 * Parallel Reuse Distance Analysis Algorithm", IPDPS 2012). Both must keep firsts, and `later` was
 * never cleared.
 */
void stream_append(struct stream *stream, const struct stream *later);

/*
 * Writes a stream that keeps firsts, and reads it back into one that has been initialized for the
 * same kind and caches.
 */
struct state_writer;
struct state_reader;
void stream_save(const struct stream *stream, struct state_writer *writer);
void stream_load(struct stream *stream, struct state_reader *reader);

/* Forgets the distances, or adds them to stream->all, but keeps the touched blocks. */
void stream_clear(struct stream *stream);

/* Lets a stream that has not been fed keep what stream_clear() clears in stream->all. */
void stream_keep_all(struct stream *stream);

#endif
