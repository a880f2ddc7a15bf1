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

/* Makes room for the element of a number that numbering_add has just given. */
#define MAKE_ROOM_FOR(items, number, room)                                                  \
	do {                                                                                \
		if ((number) >= (room)) {                                                   \
			(room) = (room) ? 2 * (room) : 64;                                  \
			(items) = checked(reallocarray((items), (room), sizeof(*(items)))); \
		}                                                                           \
	} while (0)

static uint32_t group_of(struct slo_groups *groups, const struct slo_change *change)
{
	uint32_t known = groups->changes.count;
	uint32_t group = numbering_add(&groups->changes, change, sizeof(*change));

	if (group == known) {
		MAKE_ROOM_FOR(groups->counts, group, groups->room);
		groups->counts[group] = (struct slo_counts){ 0 };
	}
	return group;
}

static void add_pair(struct slo_groups *groups, uint32_t group, const struct slo_reuse *reuse)
{
	const struct slo_pair pair = { group, reuse->first, reuse->second };
	uint32_t known = groups->pairs.count;
	uint32_t number = numbering_add(&groups->pairs, &pair, sizeof(pair));

	if (number == known) {
		MAKE_ROOM_FOR(groups->pair_counts, number, groups->pair_room);
		groups->pair_counts[number] = (struct slo_pair_counts){ 0 };
	}
	groups->pair_counts[number].reuses++;
	groups->pair_counts[number].distance += (double)reuse->distance;
}

static void add_touched(struct slo_groups *groups, uint32_t group, uint32_t data)
{
	const struct slo_touched touched = { group, data };
	uint32_t known = groups->touched.count;
	uint32_t number = numbering_add(&groups->touched, &touched, sizeof(touched));

	if (number == known) {
		MAKE_ROOM_FOR(groups->touched_counts, number, groups->touched_room);
		groups->touched_counts[number] = 0;
	}
	groups->touched_counts[number]++;
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
	uint32_t group = group_of(groups, &change);
	struct slo_counts *counts = &groups->counts[group];

	counts->reuses++;
	counts->distance += (double)reuse->distance;
	counts->log2[reuse->distance ? 63 - __builtin_clzll(reuse->distance) : 0]++;
	for (unsigned i = 0; i < groups->n_caches; i++)
		counts->misses[i] += reuse->distance >= groups->caches[i];
	counts->spatial += reuse->spatial;
	if (change.kind == REUSE_LOOP)
		add_carried(counts, reuse, &first, &second);
	add_pair(groups, group, reuse);
	if (reuse->data != CONTEXT_NONE)
		add_touched(groups, group, reuse->data);
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
	numbering_free(&groups->changes);
	numbering_free(&groups->pairs);
	numbering_free(&groups->touched);
	free(groups->counts);
	free(groups->pair_counts);
	free(groups->touched_counts);
}
