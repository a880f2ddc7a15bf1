/* SPDX-License-Identifier: MIT */
/* A summary of all samples: histograms of latencies, by data source, and of branches. */
#ifndef IBS_SUMMARY_H
#define IBS_SUMMARY_H

#include <stdbool.h>

#include "analyzers/ibs/packet/data_source.h"
#include "analyzers/ibs/views/latencies.h"

/* clang-format off */
enum ibs_metric {
	IBS_OF_TAG_TO_RETIRE, IBS_OF_COMPLETION_TO_RETIRE, IBS_OF_MISS,
	IBS_OF_MISS_FROM,	/* and one of each level */
	IBS_OF_TLB_REFILL = IBS_OF_MISS_FROM + IBS_N_LEVELS,
	IBS_OF_FETCH, IBS_OF_ITLB_REFILL, IBS_N_METRICS,
};
/* clang-format on */

enum ibs_branch { IBS_BRANCH_TAKEN, IBS_BRANCH_NOT_TAKEN, IBS_BRANCH_RETURN, IBS_N_BRANCHES };

/* A summary; a zeroed struct is empty. */
struct ibs_summary {
	uint64_t samples[IBS_N_KINDS];
	struct latencies metrics[IBS_N_METRICS];
	struct ibs_branches {
		uint64_t mispredicted;
		struct latencies latency; /* cycles from tag to retirement */
	} branches[IBS_N_BRANCHES];       /* a return is not counted among taken branches */
};

/* Adds a sample. Ends the process if memory is out. */
void ibs_summary_add(struct ibs_summary *summary, const struct ibs_packet *packet);
/* Returns the number of samples of all kinds. */
uint64_t ibs_summary_samples(const struct ibs_summary *summary);

void ibs_summary_free(struct ibs_summary *summary);

/* Writes "load miss, from L2" and the like. */
void ibs_metric_name(enum ibs_metric metric, char *text, size_t size);
const char *ibs_branch_name(enum ibs_branch branch);

#endif
