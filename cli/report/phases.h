/* SPDX-License-Identifier: MIT */
/*
 * The program over time: intervals of the same number of instructions, their basic block vectors
 * as points and colours, simulation points, and numbers of each interval.
 */
#ifndef REPORT_PHASES_H
#define REPORT_PHASES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The intervals that a trace is cut into. */
struct phase_plan {
	uint64_t interval; /* instructions; 0: the trace has none */
	uint64_t thread;   /* the one with the most instructions */
	bool one_of_many;  /* the trace has other threads, too */
};

enum { MOST_INTERVALS = 600 };

/*
 * Plans at most MOST_INTERVALS intervals, and more than a third of that number unless the trace is
 * too short. info: what `trace-info --threads` says of the trace, with --regions if the trace has
 * a warm-up.
 */
struct phase_plan plan_phases(const json_t *info);

/*
 * Adds the result of `trace-simpoint --map` to the phases, an object: "labels",
 * "projection" and "colour" of each interval, and the points.
 */
void add_points(json_t *phases, const json_t *simpoints);

/*
 * Adds to "metrics" of the phases the numbers of each interval that are in the result of a part;
 * see metrics[] in phases.c.
 */
void add_metrics(json_t *phases, const char *part, const json_t *result, const char *command);

#endif
