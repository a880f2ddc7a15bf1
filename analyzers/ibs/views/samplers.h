/* SPDX-License-Identifier: MIT */
/* The samplers of a result, one for each thread and kind of samples; see regularity.h. */
#ifndef IBS_SAMPLERS_H
#define IBS_SAMPLERS_H

#include "analyzers/ibs/packet/packet.h"
#include "analyzers/ibs/views/regularity.h"
#include "cli/common/tracereport.h"

struct ibs_samplers {
	uint32_t n_threads;
	struct ibs_regularity *threads
		[IBS_N_KINDS]; /* by thread; the last one is for samples without a known thread */
};

/* Initializes samplers. Ends the process if memory is out. */
void ibs_samplers_init(struct ibs_samplers *samplers, struct tf_reader *reader);
void ibs_samplers_free(struct ibs_samplers *samplers);

void ibs_samplers_add(struct ibs_samplers *samplers, const struct ibs_sample *sample);

/* Adds a sample of the instruction at an address to the reference of a thread's sampler. */
void ibs_samplers_refer(struct ibs_samplers *samplers, enum ibs_kind kind, uint32_t thread,
			uint64_t pc);

/*
 * Table "samplers", or "fetch_samplers": a row for each of the `top` threads with the most samples;
 * there is none without samples. Warns if any sampler, in the table or not, is locked to a loop.
 */
void ibs_samplers_report(const struct ibs_samplers *samplers, enum ibs_kind kind, uint64_t top,
			 struct report *report);

#endif
