/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/arrears.h"

static const struct pc_entry *known_at(const struct pc_table *table, uint64_t pc)
{
	const struct pc_entry *at = pc_table_find(table, pc);

	return at && at->has_arrears ? at : NULL;
}

void arrears_plan(const struct pc_table *table, struct plan *p)
{
	bool brief = p->options.brief;	/* it is alone: none has arrears */
	const struct pc_entry *known = brief ? NULL : known_at(table, p->pc);

	p->start.arrears = known ? known->arrears : 0;
	for (unsigned i = 0; i < p->n_exits; i++) {
		struct plan_exit *x = &p->exits[i];

		known = brief ? NULL : known_at(table, x->target);
		x->arrears = x->target == p->pc ? p->start.arrears : known ? known->arrears : 0;
		x->open = !brief && x->target && x->target != p->pc && x->flags_dead && !known;
	}
}

void arrears_set(struct pc_entry *at, int16_t arrears)
{
	at->arrears = arrears;
	at->has_arrears = true;
}

void arrears_note(struct pc_table *table, const struct translation *t)
{
	arrears_set(pc_table_at(table, t->pc), t->arrears);
	for (unsigned i = 0; i < t->n_exits; i++)
		if (t->exits[i].jump && t->exits[i].target)
			arrears_set(pc_table_at(table, t->exits[i].target), t->exits[i].arrears);
}
