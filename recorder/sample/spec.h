/* SPDX-License-Identifier: MIT */
/* What is to be sampled: "EVENT[,period=N][,rand][,ldlat=N]". */
#ifndef SAMPLE_SPEC_H
#define SAMPLE_SPEC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

struct sample_spec {
	const char *event;		/* "cpu-clock", "ibs_op", ... */
	const char *pmu;		/* "software", "ibs_op", ... */
	struct perf_event_attr attr;	/* what is counted, and what a sample has */
	bool vary;			/* the period is to be changed at random */
	bool excludes_kernel_in_software;	/* by IBS's swfilt */
};

/*
 * Reads what the user has asked for. Returns false with a message if nobody can do that;
 * whether this machine can is only seen when the event is opened.
 */
bool sample_spec_parse(const char *text, struct sample_spec *spec, char *message, size_t size);

/* Completes what depends on this machine. False with a message: it has no such event. */
bool sample_spec_resolve(struct sample_spec *spec, char *message, size_t size);

#endif
