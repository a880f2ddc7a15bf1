/* SPDX-License-Identifier: MIT */
#ifndef PC_HASH_H
#define PC_HASH_H

#include <stdint.h>

/* A hash of code addresses whose lower bits are used. Neighbours stay neighbours: what is looked up
 * one after the other is mostly near in the code, and then its entries are so in the table. */
static inline uint64_t pc_hash(uint64_t pc)
{
	enum { NEIGHBOURS = 1 << 10, LEAST_DISTANCE = 1 << 2 };

	return (pc / NEIGHBOURS * 0x9e3779b97f4a7c15u >> 32) + pc % NEIGHBOURS / LEAST_DISTANCE;
}

#endif
