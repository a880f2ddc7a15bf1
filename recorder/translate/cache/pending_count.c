/* SPDX-License-Identifier: MIT */
#include "recorder/translate/cache/pending_count.h"

static const struct pc_entry *known_at(const struct pc_table *table, uint64_t pc)
{
	const struct pc_entry *at = pc_table_find(table, pc);

	return at && at->has_pending ? at : NULL;
}

void pending_count_plan(const struct pc_table *table, struct plan *p)
{
	/* A bounded superblock has no links, so it has no pending counts. Nor may a count be left
	 * to another superblock if they have different counters. */
	bool bounded = p->options.bounded || p->options.no_pending;
	const struct pc_entry *known = bounded ? NULL : known_at(table, p->pc);

	p->start.pending = known ? known->pending : 0;
	for (unsigned i = 0; i < p->n_exits; i++) {
		struct plan_exit *x = &p->exits[i];

		known = bounded ? NULL : known_at(table, x->target);
		x->pending = x->target == p->pc ? p->start.pending : known ? known->pending : 0;
		x->open = !bounded && x->target && x->target != p->pc && x->flags_dead && !known;
	}
}

void pending_count_set(struct pc_entry *at, int16_t pending)
{
	at->pending = pending;
	at->has_pending = true;
}

void pending_count_record(struct pc_table *table, const struct translation *t)
{
	pending_count_set(pc_table_at(table, t->pc), t->pending);
	for (unsigned i = 0; i < t->n_exits; i++)
		if (t->exits[i].jump && t->exits[i].target)
			pending_count_set(pc_table_at(table, t->exits[i].target),
					  t->exits[i].pending);
}
