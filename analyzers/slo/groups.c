/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

static const struct slo_part plain_code = { .what = CONTEXT_NONE };

static struct slo_part part_of(const struct contexts *contexts, uint32_t context)
{
	if (context == CONTEXT_NONE)
		return plain_code;
	const struct context_key *c = &contexts->at[context].key;

	return (struct slo_part){ c->is_loop, c->what, c->site };
}

static bool same_part(const struct slo_part *a, const struct slo_part *b)
{
	return a->is_loop == b->is_loop && a->what == b->what && a->site == b->site;
}

static void add_pair(struct slo_groups *groups, uint32_t group, const struct slo_reuse *reuse)
{
	struct slo_pair_counts *counts = TABLE_PUT(groups->pairs,
						   { group, reuse->first, reuse->second });

	checked(counts);
	counts->reuses++;
	counts->distance += (double)reuse->distance;
}

static void add_touched(struct slo_groups *groups, uint32_t group, uint32_t data)
{
	struct slo_touched_counts *counts = TABLE_PUT(groups->touched, { group, data });

	checked(counts);
	counts->reuses++;
}

static void vote(struct slo_counts *counts, uint32_t child, uint64_t votes)
{
	if (counts->child == child) {
		counts->votes += votes;
	} else if (counts->votes >= votes) {
		counts->votes -= votes;
	} else {
		counts->child = child;
		counts->votes = votes - counts->votes;
	}
}

static void add_carried(struct slo_counts *counts, const struct slo_reuse *reuse,
			const struct slo_part *first, const struct slo_part *second)
{
	bool both = first->what != CONTEXT_NONE && second->what != CONTEXT_NONE;
	bool same = both && first->is_loop && same_part(first, second);

	counts->far += reuse->reuse.iterations >= ITERATIONS_KEPT;
	counts->inner += reuse->inner;
	counts->same += same;
	if (same)
		vote(counts, first->what, 1);
	counts->calls += both && !first->is_loop && !second->is_loop;
}

void slo_groups_add(struct slo_groups *groups, const struct contexts *contexts,
		    const struct slo_reuse *reuse)
{
	struct slo_part first = part_of(contexts, reuse->reuse.first);
	struct slo_part second = part_of(contexts, reuse->reuse.second);
	struct slo_change change = {
		.kind = reuse->reuse.kind,
		.overview = part_of(contexts, reuse->reuse.overview),
	};

	change.overview.site = 0;
	if (change.kind != REUSE_LOOP) {
		change.first = first;
		change.second = second;
	}
	struct slo_group *group = checked(TABLE_PUT(groups->groups, change));
	uint32_t number = (uint32_t)(group - groups->groups.at);
	struct slo_counts *counts = &group->counts;

	counts->reuses++;
	counts->distance += (double)reuse->distance;
	counts->log2[reuse->distance ? 63 - __builtin_clzll(reuse->distance) : 0]++;
	for (unsigned i = 0; i < groups->n_caches; i++)
		counts->misses[i] += reuse->distance >= groups->caches[i];
	counts->spatial += reuse->spatial;
	if (change.kind == REUSE_LOOP)
		add_carried(counts, reuse, &first, &second);
	add_pair(groups, number, reuse);
	if (reuse->data != CONTEXT_NONE)
		add_touched(groups, number, reuse->data);
}

void slo_counts_merge(struct slo_counts *to, const struct slo_counts *from)
{
	to->reuses += from->reuses;
	to->distance += from->distance;
	for (unsigned i = 0; i < SLO_LOG2_BINS; i++)
		to->log2[i] += from->log2[i];
	for (unsigned i = 0; i < SLO_MOST_CACHES; i++)
		to->misses[i] += from->misses[i];
	to->spatial += from->spatial;
	to->far += from->far;
	to->inner += from->inner;
	to->same += from->same;
	to->calls += from->calls;
	vote(to, from->child, from->votes);
}

void slo_groups_free(struct slo_groups *groups)
{
	TABLE_FREE(groups->groups);
	TABLE_FREE(groups->pairs);
	TABLE_FREE(groups->touched);
}
