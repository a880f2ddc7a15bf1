/* SPDX-License-Identifier: MIT */
/* What samples have in common: latencies, in all and by instruction. */
#ifndef IBS_SUMMARY_H
#define IBS_SUMMARY_H

#include <stddef.h>

#include "analyzers/ibs/latencies.h"
#include "analyzers/ibs/packet.h"

enum ibs_metric {
	IBS_OF_TAG_TO_RETIRE, IBS_OF_COMPLETION_TO_RETIRE, IBS_OF_MISS, IBS_OF_MISS_L2,
	IBS_OF_MISS_L3, IBS_OF_MISS_MEMORY, IBS_OF_MISS_PENDING, IBS_OF_TLB_REFILL, IBS_N_METRICS,
};

/* Samples of one instruction, or of several. */
struct ibs_place {
	uint64_t samples, loads, stores, misses, mispredicted;
	struct latencies tag_to_retire, miss;
};

struct ibs_summary {
	uint64_t samples;
	struct latencies metrics[IBS_N_METRICS];
	size_t n_insns;
	struct ibs_place **places;	/* by instruction; NULL: no sample */
};

/* n_insns: static instructions. Memory that is out ends the process. */
void ibs_summary_init(struct ibs_summary *summary, size_t n_insns);
void ibs_summary_free(struct ibs_summary *summary);

void ibs_summary_add(struct ibs_summary *summary, const struct ibs_packet *packet);

void ibs_place_merge(struct ibs_place *to, const struct ibs_place *from);

const char *ibs_metric_name(enum ibs_metric metric);

#endif
