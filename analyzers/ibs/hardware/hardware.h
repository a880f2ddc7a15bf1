/* SPDX-License-Identifier: MIT */
/* Adds the samples of hardware or of the kernel that a trace has to views. */
#ifndef IBS_HARDWARE_H
#define IBS_HARDWARE_H

#include "analyzers/ibs/views/views.h"

enum { IBS_ANY_SAMPLER = 0 };

struct ibs_hardware_options {
	uint64_t sampler; /* 1 + the sampler's index, or IBS_ANY_SAMPLER: ops and fetches of IBS,
				   or else the sampler with the most samples */
	bool overhead;    /* also add the samples of the recorder while it recorded the program */
};

/* Returns true if all samples can be read; otherwise reports the damage. */
bool ibs_hardware_check(struct tf_reader *reader);

/*
 * Adds the samples of a thread (TF_MERGED: of all threads) to views, and reports the samplers and
 * the number of missing samples; the caller then reports the views. Samples that cannot be read are
 * left out, with a message. Returns 0, or an exit code after a message.
 */
int ibs_hardware_add(struct tf_reader *reader, const struct ibs_hardware_options *options,
		     uint32_t thread, struct ibs_views *views, struct report *report);

#endif
