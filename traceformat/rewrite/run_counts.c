/* SPDX-License-Identifier: MIT */
#include "traceformat/rewrite/run_counts.h"

#include <stdlib.h>
#include <string.h>

bool run_counts_begin(const struct tf_reader *r, struct run_counts *c)
{
	size_t runs = r->schedule.count, threads = r->threads.count;

	c->at = calloc(runs + 1, sizeof(*c->at));
	c->next = calloc(runs + 1, sizeof(*c->next));
	c->first = malloc((threads + 1) * sizeof(*c->first));
	c->behind = calloc(threads + 1, sizeof(*c->behind));
	if (!c->at || !c->next || !c->first || !c->behind)
		return false;
	memset(c->first, 0xff, (threads + 1) * sizeof(*c->first));
	for (size_t i = runs; i--;) {
		uint32_t t = r->schedule.at[i].thread;

		if (!reader_has_thread(r, t))
			continue;
		c->next[i] = c->first[t];
		c->first[t] = (uint32_t)i;
	}
	return true;
}

struct run_place run_place(const struct tf_reader *r, const struct run_counts *c, uint32_t thread)
{
	struct run_place place = { .thread = thread, .run = c->first[thread] };

	if (place.run != TF_NONE)
		place.end = r->schedule.at[place.run].instructions;
	return place;
}

void run_counts_reach(const struct tf_reader *r, struct run_counts *c, struct run_place *p,
		      uint64_t old, uint64_t now)
{
	bool finished = old == UINT64_MAX;

	while (p->run != TF_NONE && (finished || old >= p->end)) {
		c->at[p->run] = now - p->counted;
		p->counted = now;
		p->run = c->next[p->run];
		if (p->run != TF_NONE)
			p->end += r->schedule.at[p->run].instructions;
	}
	if (finished)
		c->behind[p->thread] = now - p->counted;
}

void run_counts_free(struct run_counts *c)
{
	free(c->at);
	free(c->next);
	free(c->first);
	free(c->behind);
	*c = (struct run_counts){ 0 };
}
