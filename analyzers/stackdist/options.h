/* SPDX-License-Identifier: MIT */
/* The command line of trace-stackdist: kinds of accesses, block sizes, caches, and tables. */
#ifndef STACKDIST_OPTIONS_H
#define STACKDIST_OPTIONS_H

#include "analyzers/common/analyzer.h"
#include "analyzers/locality/stream.h"

enum { STACKDIST_MAX_KINDS = 7, STACKDIST_MAX_SIZES = 16 };

struct stackdist_options {
	unsigned n_kinds, kinds[STACKDIST_MAX_KINDS];  /* enum access_kind, or-ed */
	unsigned n_sizes, shifts[STACKDIST_MAX_SIZES]; /* log2 of bytes */
	unsigned n_caches;
	uint64_t caches[MAX_CACHES]; /* bytes */
	bool histogram, curve;
	uint64_t most; /* distances of so many and more are not told apart; 0: no limit */
};

extern const struct command_option stackdist_option_table[];
extern const struct stackdist_options stackdist_option_defaults;

/* Returns the text of kinds (enum access_kind, or-ed), such as "reads+writes". */
const char *stackdist_kinds_text(unsigned kinds);

/* Returns all kinds of the options (enum access_kind, or-ed). */
unsigned stackdist_all_kinds(const struct stackdist_options *options);

/*
 * Return 0, or the status of a usage error after its message: a cache is no multiple of a block
 * size, or exceeds the limit of distances; a table of intervals would have two kinds of rows.
 */
int stackdist_check_caches(const struct stackdist_options *options);
int stackdist_check_rows(const struct stackdist_options *options);

/* Returns whether the options have a stream of these kinds, with blocks of 1 << shift bytes. */
bool stackdist_has_stream(const struct stackdist_options *options, struct stream_kind stream);

/* Returns the number of the first cache of that size in bytes, or n_caches. */
unsigned stackdist_cache_number(const struct stackdist_options *options, uint64_t bytes);

/*
 * Adds the streams and caches of other options. Returns false if there are too many, or if the
 * limits of distances differ.
 */
bool stackdist_add_options(struct stackdist_options *options, const struct stackdist_options *more);

#endif
