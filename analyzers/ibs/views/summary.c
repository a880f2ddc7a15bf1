/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/summary.h"

#include <stdio.h>

static const char *const metric_names[IBS_N_METRICS] = {
	[IBS_OF_TAG_TO_RETIRE] = "tag to retire",
	[IBS_OF_COMPLETION_TO_RETIRE] = "completion to retire",
	[IBS_OF_MISS] = "load miss",
	[IBS_OF_TLB_REFILL] = "L1 DTLB refill",
	[IBS_OF_FETCH] = "fetch",
	[IBS_OF_ITLB_REFILL] = "L1 ITLB refill",
};

static const char *const branch_names[IBS_N_BRANCHES] = {
	[IBS_BRANCH_TAKEN] = "taken",
	[IBS_BRANCH_NOT_TAKEN] = "not taken",
	[IBS_BRANCH_RETURN] = "return",
};

void ibs_metric_name(enum ibs_metric metric, char *text, size_t size)
{
	if (metric_names[metric])
		snprintf(text, size, "%s", metric_names[metric]);
	else
		snprintf(text, size, "load miss, %s%s",
			 metric == IBS_OF_MISS_FROM + IBS_LEVEL_PENDING ? "" : "from ",
			 ibs_level_name(metric - IBS_OF_MISS_FROM));
}

const char *ibs_branch_name(enum ibs_branch branch)
{
	return branch_names[branch];
}

static void add_metric(struct ibs_summary *summary, enum ibs_metric metric,
		       const struct ibs_packet *packet, enum ibs_field field)
{
	uint64_t cycles;

	if (ibs_packet_get(packet, field, &cycles))
		latencies_add(&summary->metrics[metric], cycles);
}

static void add_branch(struct ibs_summary *summary, const struct ibs_packet *packet)
{
	enum ibs_branch branch = ibs_packet_is(packet, IBS_OP_RETURN)   ? IBS_BRANCH_RETURN
				 : ibs_packet_is(packet, IBS_BRN_TAKEN) ? IBS_BRANCH_TAKEN
									: IBS_BRANCH_NOT_TAKEN;
	uint64_t cycles;

	summary->branches[branch].mispredicted += ibs_packet_is(packet, IBS_BRN_MISP);
	ibs_packet_get(packet, IBS_TAG_TO_RET, &cycles);
	latencies_add(&summary->branches[branch].latency, cycles);
}

void ibs_summary_add(struct ibs_summary *summary, const struct ibs_packet *packet)
{
	enum ibs_level level;

	summary->samples[packet->kind]++;
	add_metric(summary, IBS_OF_TAG_TO_RETIRE, packet, IBS_TAG_TO_RET);
	add_metric(summary, IBS_OF_COMPLETION_TO_RETIRE, packet, IBS_COMP_TO_RET);
	add_metric(summary, IBS_OF_MISS, packet, IBS_DC_MISS_LAT);
	if (ibs_level_get(packet, &level))
		add_metric(summary, IBS_OF_MISS_FROM + level, packet, IBS_DC_MISS_LAT);
	add_metric(summary, IBS_OF_TLB_REFILL, packet, IBS_TLB_REFILL_LAT);
	add_metric(summary, IBS_OF_FETCH, packet, IBS_FETCH_LAT);
	add_metric(summary, IBS_OF_ITLB_REFILL, packet, IBS_ITLB_REFILL_LAT);
	if (ibs_packet_is(packet, IBS_BRN_RET))
		add_branch(summary, packet);
}

uint64_t ibs_summary_samples(const struct ibs_summary *summary)
{
	return summary->samples[IBS_KIND_OP] + summary->samples[IBS_KIND_FETCH];
}

void ibs_summary_free(struct ibs_summary *summary)
{
	for (unsigned i = 0; i < IBS_N_METRICS; i++)
		latencies_free(&summary->metrics[i]);
	for (unsigned i = 0; i < IBS_N_BRANCHES; i++)
		latencies_free(&summary->branches[i].latency);
}
