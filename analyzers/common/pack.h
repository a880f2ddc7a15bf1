/* SPDX-License-Identifier: MIT */
/*
 * Packs of cursor items, copied with all that they point to, for use later and in another thread.
 */
#ifndef PACK_H
#define PACK_H

#include "traceformat/traceformat.h"

struct pack {
	struct pack *next; /* the owner's */
	size_t size, used; /* bytes */
	/* The owner's: batches that were digested instead of being copied, see analyzer.h. */
	void *digest;
	bool is_digested, is_full;
	struct tf_item digested; /* their number of instructions, and where these begin */
	_Alignas(8) unsigned char bytes[];
};

/*
 * Returns an empty pack; free it with free. Ends the process if memory is out, as all functions
 * here do.
 */
struct pack *pack_new(void);

/*
 * Appends a result of tf_next: *item if status is positive, *error if it is negative. Returns false
 * if there is no room; an empty pack makes room, and *pack may move.
 */
bool pack_put(struct pack **pack, int status, const struct tf_item *item,
	      const struct tf_error *error);

/*
 * Fills *item or *error with the result at *at, and moves *at on. Returns its status, 0 at the end.
 */
int pack_get(const struct pack *pack, size_t *at, struct tf_item *item, struct tf_error *error);

#endif
