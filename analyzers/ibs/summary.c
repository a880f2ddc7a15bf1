/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/summary.h"

#include "analyzers/common/checked.h"

static const char *const metric_names[IBS_N_METRICS] = {
	[IBS_OF_TAG_TO_RETIRE] = "tag to retire",
	[IBS_OF_COMPLETION_TO_RETIRE] = "completion to retire",
	[IBS_OF_MISS] = "load miss",
	[IBS_OF_MISS_L2] = "load miss, from L2",
	[IBS_OF_MISS_L3] = "load miss, from L3",
	[IBS_OF_MISS_MEMORY] = "load miss, from memory",
	[IBS_OF_MISS_PENDING] = "load miss, already on its way",
	[IBS_OF_TLB_REFILL] = "L1 DTLB refill",
};

const char *ibs_metric_name(enum ibs_metric metric)
{
	return metric_names[metric];
}

void ibs_summary_init(struct ibs_summary *summary, size_t n_insns)
{
	*summary = (struct ibs_summary){ .n_insns = n_insns };
	summary->places = checked_array(n_insns, sizeof(*summary->places));
}

void ibs_summary_free(struct ibs_summary *summary)
{
	for (size_t i = 0; i < summary->n_insns; i++)
		free(summary->places[i]);
	free(summary->places);
}

/* Where the data of a load that missed came from. */
static enum ibs_metric miss_metric(const struct ibs_packet *packet)
{
	uint64_t source;

	if (ibs_packet_is(packet, IBS_NO_MAB_ALLOC))
		return IBS_OF_MISS_PENDING;
	if (!ibs_packet_get(packet, IBS_DATA_SRC_LOW, &source))
		return IBS_OF_MISS_L2;
	return source == IBS_SOURCE_L3 ? IBS_OF_MISS_L3 : IBS_OF_MISS_MEMORY;
}

static void add_metric(struct ibs_summary *summary, enum ibs_metric metric,
		       const struct ibs_packet *packet, enum ibs_field field)
{
	uint64_t cycles;

	if (ibs_packet_get(packet, field, &cycles))
		latencies_add(&summary->metrics[metric], cycles);
}

static void add_to_place(struct ibs_place *place, const struct ibs_packet *packet)
{
	uint64_t cycles;

	place->samples++;
	place->loads += ibs_packet_is(packet, IBS_LD);
	place->stores += ibs_packet_is(packet, IBS_ST);
	place->misses += ibs_packet_is(packet, IBS_DC_MISS);
	place->mispredicted += ibs_packet_is(packet, IBS_BRN_MISP);
	ibs_packet_get(packet, IBS_TAG_TO_RET, &cycles);
	latencies_add(&place->tag_to_retire, cycles);
	if (ibs_packet_get(packet, IBS_DC_MISS_LAT, &cycles))
		latencies_add(&place->miss, cycles);
}

void ibs_summary_add(struct ibs_summary *summary, const struct ibs_packet *packet)
{
	struct ibs_place **place = &summary->places[packet->insn];

	summary->samples++;
	add_metric(summary, IBS_OF_TAG_TO_RETIRE, packet, IBS_TAG_TO_RET);
	add_metric(summary, IBS_OF_COMPLETION_TO_RETIRE, packet, IBS_COMP_TO_RET);
	add_metric(summary, IBS_OF_MISS, packet, IBS_DC_MISS_LAT);
	add_metric(summary, miss_metric(packet), packet, IBS_DC_MISS_LAT);
	add_metric(summary, IBS_OF_TLB_REFILL, packet, IBS_TLB_REFILL_LAT);
	if (!*place)
		*place = checked_array(1, sizeof(**place));
	add_to_place(*place, packet);
}

void ibs_place_merge(struct ibs_place *to, const struct ibs_place *from)
{
	to->samples += from->samples;
	to->loads += from->loads;
	to->stores += from->stores;
	to->misses += from->misses;
	to->mispredicted += from->mispredicted;
	latencies_merge(&to->tag_to_retire, &from->tag_to_retire);
	latencies_merge(&to->miss, &from->miss);
}
