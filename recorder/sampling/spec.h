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
	struct perf_event_attr attr;   /* what is counted, and the fields of a sample */
	struct perf_event_attr leader; /* an event that must be counted beside; size 0: none */
	bool vary;                     /* the recorder changes the period at random */
	bool only_l3_misses;
	uint64_t latency; /* loads that took fewer cycles are left out; 0: none are */
	bool everyone;    /* all that runs on a CPU is sampled, not one thread */
};

/*
 * Parses a specification. Returns false with a message if it is invalid on every machine; whether
 * this machine supports the event is only known when the event is opened.
 */
bool sample_spec_parse(const char *text, struct sample_spec *spec, char *message, size_t size);

/*
 * Completes the fields that depend on this machine, which the folder `devices` describes (see
 * pmu.h). Returns false with a message if the machine lacks the event.
 */
bool sample_spec_resolve(struct sample_spec *spec, const char *devices, char *message, size_t size);

#endif
