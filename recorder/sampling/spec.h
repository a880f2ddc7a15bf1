/* SPDX-License-Identifier: MIT */
/* The specification of samples: "EVENT[,period=N][,rand][,callchain][,ldlat=N][,l3missonly]". */
#ifndef SAMPLE_SPEC_H
#define SAMPLE_SPEC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_spec {
	const char *event;             /* "cpu-clock", "ibs_op", ... */
	const char *pmu;               /* "software", "ibs_op", ... */
	struct perf_event_attr attr;   /* what is counted, and what a sample has */
	struct perf_event_attr leader; /* of its group, which is only counted; size 0: none */
	bool vary;                     /* the period is to be changed at random */
	bool only_l3_misses;
	uint64_t latency; /* loads that took less are left out, cycles; 0: none is */
	bool everyone;    /* whatever runs on a CPU is sampled, not one thread */
};

/*
 * Reads what the user has asked for. Returns false with a message if nobody can do that;
 * whether this machine can is only seen when the event is opened.
 */
bool sample_spec_parse(const char *text, struct sample_spec *spec, char *message, size_t size);

/*
 * Completes what depends on this machine, as devices (see pmu.h) describes it. False with a
 * message: it has no such event.
 */
bool sample_spec_resolve(struct sample_spec *spec, const char *devices, char *message, size_t size);

#endif
