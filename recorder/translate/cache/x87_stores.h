/* SPDX-License-Identifier: MIT */
/*
 * Corrects the stored x87 pointers: when translated code stores them, the last x87 instruction is
 * in the cache, and so is the address stored. After each such store there is a one-byte nop while
 * the cache has no x87 instruction that the pointers could refer to, and a trap from then on. At
 * the trap the recorder replaces the stored address by the program's.
 */
#ifndef X87_STORES_H
#define X87_STORES_H

#include "recorder/translate/cache/arenas.h"
#include "traceformat/common/array.h"

struct x87_stores {
	bool armed;          /* the bytes are traps */
	ARRAY(uint64_t) pcs; /* cache pcs of these bytes */
};

/* Adds the stores of a plan's new translation. Returns false if memory is out. */
bool x87_stores_add(struct x87_stores *stores, const struct arenas *arenas, const struct plan *plan,
		    const struct translation *translation);

/* Turns the bytes into traps, when the first task enters the cache with x87 pointers. */
void x87_stores_arm(struct x87_stores *stores, const struct arenas *arenas);

bool x87_stores_has(const struct x87_stores *stores, uint64_t pc);

#endif
