/* SPDX-License-Identifier: MIT */
#ifndef PC_HASH_H
#define PC_HASH_H

#include <stdint.h>

/*
 * Returns a hash of a code address; tables use its lower bits. Neighbouring addresses have
 * neighbouring hashes: consecutive lookups are mostly near in the code, and so their entries are
 * near in the table. Only few addresses are that near, or tables of open addressing would have
 * clusters.
 */
static inline uint64_t pc_hash(uint64_t pc)
{
	enum { NEIGHBOURS = 1 << 5, LEAST_DISTANCE = 1 << 1 };
	uint64_t among_others = pc / NEIGHBOURS * 0x9e3779b97f4a7c15u >> 32;

	return among_others * (NEIGHBOURS / LEAST_DISTANCE) + pc % NEIGHBOURS / LEAST_DISTANCE;
}

#endif
