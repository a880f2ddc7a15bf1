/* SPDX-License-Identifier: MIT */
/* Adds samples that hardware or the kernel took, and that a trace has, to views. */
#ifndef IBS_HARDWARE_H
#define IBS_HARDWARE_H

#include "analyzers/ibs/views/views.h"

enum { IBS_ANY_SAMPLER = 0 };

struct ibs_hardware_options {
	uint64_t sampler; /* 1 + index of the one to look at, or IBS_ANY_SAMPLER: IBS's ops
				   and fetches, else whoever took most samples */
	bool overhead;    /* also what the recorder did while the program was recorded */
};

/* Returns true if all samples can be read; otherwise prints what is damaged. */
bool ibs_hardware_check(struct tf_reader *reader);

/*
 * Adds the samples of a thread, or with TF_MERGED of all, that can be read to views, and reports
 * who took them and what is missing; the caller then reports the views. Samples that are left out
 * are mentioned. Returns 0, or an exit code after a message.
 */
int ibs_hardware_add(struct tf_reader *reader, const struct ibs_hardware_options *options,
		     uint32_t thread, struct ibs_views *views, struct report *report);

#endif
