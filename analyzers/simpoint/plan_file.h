/* SPDX-License-Identifier: MIT */
/*
 * Reads files of simulation points, for cutting: trace-simpoint's JSON, PinPoints' region CSV by
 * instructions or by addresses, and SimPoint's .simpts with .weights.
 */
#ifndef PLAN_FILE_H
#define PLAN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/simpoint/markers.h"
#include "analyzers/simpoint/origin.h"

struct plan_point {
	uint64_t cluster, interval; /* UINT64_MAX: the file does not say */
	double weight, multiplier;  /* NaN: not known */
	uint64_t start, end;        /* instructions, end excluded; end 0: not known */
	struct marker first,
		behind; /* if the plan has markers; count 0: the program's begin, and end */
};

struct plan {
	struct plan_point *at;
	size_t n, capacity;
	uint64_t thread;        /* UINT64_MAX: the file does not say */
	bool global;            /* of all threads together */
	bool has_markers;       /* bounds are markers, not instructions */
	bool of_vectors;        /* the points are of a run that recorded vectors */
	uint64_t interval_size; /* 0: likewise */
	struct origin origin;   /* the trace that the points are of */
	bool counted;           /* start and end count as the intervals did, not by ordinals */
	bool exact;             /* the counter was the exact one */
};

/*
 * Reads a file of any of these kinds. weights: the .weights file of a .simpts file; NULL:
 * beside it, if there is one. Returns false after a message.
 */
bool plan_read(const char *path, const char *weights, struct plan *plan);
void plan_free(struct plan *plan);

#endif
