/* SPDX-License-Identifier: MIT */
/*
 * Instructions that store the x87 pointers, in translated code: the last x87 instruction is in the
 * cache as well, and so is the address that they store. Behind each of them is a nop as long as the
 * cache has no x87 instruction that the pointers could be of, and a trap from then on, where the
 * recorder puts the program's address in the place of that.
 */
#ifndef X87_STORES_H
#define X87_STORES_H

#include "recorder/translate/cache/arenas.h"

struct x87_stores {
	bool armed;    /* they trap */
	uint64_t *pcs; /* of these bytes */
	size_t count, room;
};

/* Adds those of a new translation of the plan. False: memory is out. */
bool x87_stores_add(struct x87_stores *stores, const struct arenas *arenas, const struct plan *plan,
		    const struct translation *translation);

/* Makes them trap: a task enters the cache with pointers. */
void x87_stores_arm(struct x87_stores *stores, const struct arenas *arenas);

bool x87_stores_has(const struct x87_stores *stores, uint64_t pc);

#endif
