/* SPDX-License-Identifier: MIT */
/* Sets of numbers from 0 on, each number in one of them, that are joined. */
#ifndef DISJOINT_SETS_H
#define DISJOINT_SETS_H

#include <stdint.h>

#include "cli/common/checked.h"

/*
 * Returns `count` sets of one number each; free it. Each number points to an earlier one of its
 * set, or to itself. Memory that is out ends the process.
 */
static inline uint32_t *disjoint_sets(uint32_t count)
{
	uint32_t *sets = checked_array(count, sizeof(*sets));

	for (uint32_t i = 0; i < count; i++)
		sets[i] = i;
	return sets;
}

/* Returns the least number of a number's set. */
static inline uint32_t disjoint_sets_first(uint32_t *sets, uint32_t number)
{
	while (sets[number] != number) {
		sets[number] = sets[sets[number]];
		number = sets[number];
	}
	return number;
}

static inline void disjoint_sets_join(uint32_t *sets, uint32_t a, uint32_t b)
{
	a = disjoint_sets_first(sets, a);
	b = disjoint_sets_first(sets, b);
	if (a < b)
		sets[b] = a;
	else
		sets[a] = b;
}

#endif
