/* SPDX-License-Identifier: MIT */
/* What a cursor gave, copied with all that it points to, for use later and in another thread. */
#ifndef PACK_H
#define PACK_H

#include "traceformat/traceformat.h"

struct pack {
	struct pack *next; /* the owner's */
	size_t size, used; /* bytes */
	_Alignas(8) unsigned char bytes[];
};

/* Returns an empty pack; ends the process if memory is out, as all here. Free it with free. */
struct pack *pack_new(void);

/*
 * Appends what tf_next gave: *item if status is positive, *error if it is negative. Returns false
 * if there is no room; an empty pack makes room, and *pack may move.
 */
bool pack_put(struct pack **pack, int status, const struct tf_item *item,
	      const struct tf_error *error);

/* Fills *item or *error with what stands at *at, which moves on. Returns its status,
 * 0 at the end. */
int pack_get(const struct pack *pack, size_t *at, struct tf_item *item, struct tf_error *error);

#endif
