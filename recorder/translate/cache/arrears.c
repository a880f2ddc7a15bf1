/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/arrears.h"

bool arrears_plan(struct pc_map *arrears, struct plan *p)
{
	const uint64_t *known = p->options.brief ? NULL : pc_map_find(arrears, p->pc);

	p->start.arrears = known ? (int16_t)*known : 0;
	for (unsigned i = 0; i < p->n_exits; i++) {
		struct plan_exit *x = &p->exits[i];

		x->arrears = 0;
		x->open = false;
		if (p->options.brief)
			continue;
		known = pc_map_find(arrears, x->target);
		x->arrears = x->target == p->pc ? p->start.arrears : known ? (int16_t)*known : 0;
		x->open = x->target && x->target != p->pc && x->flags_dead && !known;
	}
	return pc_map_reserve(arrears, p->n_exits + 1);
}

static void note(struct pc_map *arrears, uint64_t pc, int16_t value)
{
	if (pc)
		pc_map_set(arrears, pc, (uint64_t)value);
}

void arrears_note(struct pc_map *arrears, const struct translation *t)
{
	note(arrears, t->pc, t->arrears);
	for (unsigned i = 0; i < t->n_exits; i++)
		if (t->exits[i].jump)
			note(arrears, t->exits[i].target, t->exits[i].arrears);
}
