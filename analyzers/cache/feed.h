/* SPDX-License-Identifier: MIT */
/*
 * The accesses of a trace's blocks, for hierarchies. An instruction is fetched, then reads its
 * operands, then writes them; a read-modify-write is both. Each repetition of a rep instruction and
 * each active lane is an access.
 */
#ifndef CACHE_FEED_H
#define CACHE_FEED_H

#include "analyzers/cache/filter.h"
#include "analyzers/locality/access_steps.h"

enum { CACHE_FETCHES = 1, CACHE_DATA = 2 };

/*
 * Reads a loaded trace. wanted: CACHE_FETCHES, CACHE_DATA, or-ed. line: bytes of the shortest line
 * that instructions are fetched by; instructions of one line that follow each other are then one
 * access; 0: each instruction is one, for a hierarchy where data can displace instructions between
 * two fetches from level 1. Free the code with access_code_free(). Ends the process if memory is
 * out.
 */
void cache_code_init(struct access_code *code, const struct tf_reader *reader, unsigned wanted,
		     uint32_t line);

enum { CACHE_BATCH = 1024 };

struct cache_feed {
	const struct access_code *code; /* several feeds can share it */
	void (*consume)(void *opaque, const struct cache_access *accesses,
			const struct cache_origin *origins, size_t count);
	void *opaque;
	bool wants_origins;
	struct cache_filter *filter; /* NULL: all accesses are consumed */
	size_t count;
	struct cache_access accesses[CACHE_BATCH];
	struct cache_origin origins[CACHE_BATCH];
};

/* Feeds the accesses of an item of blocks, which has addresses if data accesses are wanted. */
void cache_feed_blocks(struct cache_feed *feed, const struct tf_item *item, unsigned core);

/* Hands on the remaining accesses. */
void cache_feed_flush(struct cache_feed *feed);

#endif
