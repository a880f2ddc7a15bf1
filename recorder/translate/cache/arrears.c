/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/arrears.h"

bool arrears_plan(struct pc_map *arrears, struct plan *p)
{
	bool brief = p->options.brief;	/* it is alone: none has arrears */
	const uint64_t *known = brief ? NULL : pc_map_find(arrears, p->pc);

	p->start.arrears = known ? (int16_t)*known : 0;
	for (unsigned i = 0; i < p->n_exits; i++) {
		struct plan_exit *x = &p->exits[i];

		known = brief ? NULL : pc_map_find(arrears, x->target);
		x->arrears = x->target == p->pc ? p->start.arrears : known ? (int16_t)*known : 0;
		x->open = !brief && x->target && x->target != p->pc && x->flags_dead && !known;
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
