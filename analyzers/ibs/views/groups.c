/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/groups.h"

#include "cli/common/checked.h"

enum { MISS_CYCLES = 3 };

const struct ibs_counted ibs_counted[IBS_N_KINDS][IBS_MAX_COUNTED] = {
	[IBS_KIND_OP] = {
		{ "loads", IBS_LD, false },
		{ "stores", IBS_ST, false },
		{ "misses", IBS_DC_MISS, false },
		[MISS_CYCLES] = { "load_miss_cycles", IBS_DC_MISS_LAT, true },
		{ "tlb_misses", IBS_DC_L1TLB_MISS, false },
		{ "mispredicted", IBS_BRN_MISP, false },
	},
	[IBS_KIND_FETCH] = {
		{ "completed", IBS_FETCH_COMP, false },
		{ "misses", IBS_IC_MISS, false },
		{ "l2_misses", IBS_FETCH_L2_MISS, false },
		{ "tlb_misses", IBS_L1ITLB_MISS, false },
		{ "tlb_refill_cycles", IBS_ITLB_REFILL_LAT, true },
	},
};

void ibs_groups_init(struct ibs_groups *g, const struct ibs_keys *keys, enum ibs_kind kind,
		     enum ibs_field latency)
{
	*g = (struct ibs_groups){ .keys = keys, .kind = kind, .latency = latency };
}

void ibs_groups_free(struct ibs_groups *g)
{
	for (uint32_t i = 0; i < g->groups.count; i++)
		latencies_free(&g->groups.at[i].latency);
	TABLE_FREE(g->groups);
}

static struct ibs_group *group_of(struct ibs_groups *g, const struct ibs_group_key *key)
{
	struct ibs_group *group = checked(TABLE_PUT(g->groups, *key));

	group->number = (uint32_t)(group - g->groups.at);
	return group;
}

static void count(struct ibs_group *group, const struct ibs_counted *counted,
		  const struct ibs_packet *packet)
{
	uint64_t value;

	for (unsigned i = 0; i < IBS_MAX_COUNTED && counted[i].name; i++)
		if (ibs_packet_get(packet, counted[i].field, &value)) {
			group->counts[i] += counted[i].sums ? value : value != 0;
			group->known |= 1u << i;
		}
}

void ibs_groups_add(struct ibs_groups *g, struct places *places, const struct ibs_sample *sample)
{
	struct ibs_group_key key = { 0 };
	uint64_t cycles;

	if (!ibs_keys_get(g->keys, places, sample, key.values))
		return;
	struct ibs_group *group = group_of(g, &key);

	g->samples++;
	group->samples++;
	count(group, ibs_counted[g->kind], sample->packet);
	if (ibs_packet_get(sample->packet, g->latency, &cycles))
		latencies_add(&group->latency, cycles);
}

static int compare(const void *a, const void *b, void *opaque)
{
	const struct ibs_group *x = a, *y = b;
	const struct ibs_groups *g = opaque;

	if (g->keys->about_data && x->counts[MISS_CYCLES] != y->counts[MISS_CYCLES])
		return x->counts[MISS_CYCLES] > y->counts[MISS_CYCLES] ? -1 : 1;
	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void ibs_groups_sort(struct ibs_groups *g)
{
	if (g->groups.count)
		qsort_r(g->groups.at, g->groups.count, sizeof(*g->groups.at), compare, g);
}

bool ibs_groups_know_key(const struct ibs_groups *g, unsigned key)
{
	for (uint32_t i = 0; i < g->groups.count; i++)
		if (g->groups.at[i].key.values[key].known)
			return true;
	return false;
}

bool ibs_groups_know_latency(const struct ibs_groups *g)
{
	for (uint32_t i = 0; i < g->groups.count; i++)
		if (g->groups.at[i].latency.count)
			return true;
	return false;
}
