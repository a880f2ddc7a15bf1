/* SPDX-License-Identifier: MIT */
#include "recorder/translate/plan/pc_set.h"

#include <search.h>
#include <stdlib.h>

static int by_pc(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

bool pc_set_add(struct pc_set *set, uint64_t pc)
{
	uint64_t *key;

	if (pc_set_has(set, pc))
		return true;
	key = malloc(sizeof(*key));
	if (!key)
		return false;
	*key = pc;
	if (tsearch(key, &set->root, by_pc))
		return true;
	free(key);
	return false;
}

bool pc_set_has(const struct pc_set *set, uint64_t pc)
{
	return tfind(&pc, &set->root, by_pc);
}

void pc_set_clear(struct pc_set *set)
{
	tdestroy(set->root, free);
	set->root = NULL;
}
