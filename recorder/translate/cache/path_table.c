/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/path_table.h"

void path_table_clear(struct path_table *p)
{
	pc_map_clear(&p->first);
	p->count = 0;
}

struct translation *path_table_first(const struct path_table *p, uint64_t pc)
{
	const uint64_t *first = pc_map_find(&p->first, pc);

	return first ? (struct translation *)(uintptr_t)*first : NULL;
}

struct translation *path_table_next(const struct translation *t)
{
	return t->next;
}

bool path_table_add(struct path_table *p, struct translation *t)
{
	if (!pc_map_reserve(&p->first, 1))
		return false;
	t->next = path_table_first(p, t->pc);
	pc_map_set(&p->first, t->pc, (uintptr_t)t);
	p->count++;
	return true;
}
