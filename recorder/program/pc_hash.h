/* SPDX-License-Identifier: MIT */
#ifndef PC_HASH_H
#define PC_HASH_H

#include <stdint.h>

/* A hash of code addresses whose lower bits are used. Neighbours stay neighbours: what is looked up
 * one after the other is mostly near in the code, and then its entries are so in the table. Few are
 * that, or tables of open addressing would fill up in places. */
static inline uint64_t pc_hash(uint64_t pc)
{
	enum { NEIGHBOURS = 1 << 5, LEAST_DISTANCE = 1 << 1 };
	uint64_t among_others = pc / NEIGHBOURS * 0x9e3779b97f4a7c15u >> 32;

	return among_others * (NEIGHBOURS / LEAST_DISTANCE) + pc % NEIGHBOURS / LEAST_DISTANCE;
}

#endif
