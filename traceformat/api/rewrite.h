/* SPDX-License-Identifier: MIT */
/* Making a trace of another one: repair, repack, cut. */
#ifndef TRACEFORMAT_API_REWRITE_H
#define TRACEFORMAT_API_REWRITE_H

#include <stddef.h>
#include <stdint.h>

#include "traceformat/api/declarations.h"
#include "traceformat/api/errors.h"

TF_BEGIN_DECLARATIONS

struct tf_reader;

/*
 * Makes a finished trace at `to` from the usable sections of `reader`, each copied as it is.
 * Chunks whose dictionary is lost are dropped. Returns the number of sections left out.
 * A trace that this, tf_repack or tf_cut cannot finish is removed.
 */
int tf_repair(struct tf_reader *reader, const char *to, struct tf_error *error);

/*
 * Makes a trace at `to` of the same content in fewer bytes: the same items, dictionary, totals and
 * META, to which the UUID of the old trace is added as repacked-from. Errors: IO, MEMORY, VERSION,
 * DAMAGED (the trace is not whole: repair it first).
 */
int tf_repack(struct tf_reader *reader, const char *to, struct tf_error *error);

/* Repacks, and calls step after each section with the bytes of the old trace that are done, of its
 * whole size. */
int tf_repack_watched(struct tf_reader *reader, const char *to,
		      void (*step)(void *opaque, uint64_t done), void *opaque,
		      struct tf_error *error);

/* A META line. */
struct tf_meta_line {
	const char *key, *value;
};

/* What to cut out of a trace. */
struct tf_slice {
	size_t size;           /* sizeof(struct tf_slice) */
	uint32_t thread;       /* index; TF_MERGED: all threads, first and count are then steps of
				   the merged order */
	uint64_t first, count; /* instructions; less if the trace ends before */
	uint64_t warmup;       /* how many of these, at their beginning, are for warming up */
	const struct tf_meta_line *meta; /* to add to the trace's; later ones win */
	size_t n_meta;
};

/*
 * Makes a trace at `to` of a part of another: exactly these instructions with their values, and the
 * events among them, from ordinal 0 on. It needs nothing of the old trace: it has the blocks and
 * paths that are executed, modules and their symbols, all processes and threads, and its streams
 * begin with what started the thread and process, the mappings until then, and a gap for what is
 * left out (FORMAT.md
 * 5.5). The regions "warmup", if there is one, and "simulation" cover its instructions; neither
 * begins or ends inside of a path execution. Its META has the lines of the old one, slice.parent,
 * the old UUID, slice.thread, .first, .instructions and .warmup, and those of `slice`. Errors:
 * ARGUMENT (nothing is there), IO, MEMORY, DAMAGED (some of it is lost).
 */
int tf_cut(struct tf_reader *reader, const struct tf_slice *slice, const char *to,
	   struct tf_error *error);

TF_END_DECLARATIONS

#endif
