/* SPDX-License-Identifier: MIT */
/* The plan of trace-record --points: simulation points in the JSON of trace-simpoint. */
#ifndef POINTS_PLAN_H
#define POINTS_PLAN_H

#include <jansson.h>

#include "recorder/recorder.h"

/* A point, and what its slice says about it. */
struct planned_point {
	uint64_t cluster, interval;
	double weight;     /* NaN: unknown */
	double multiplier; /* NaN: unknown */
	uint64_t filtered; /* filtered instructions; UINT64_MAX: unknown */
	int64_t tier;      /* of its first marker; -1: unknown */
};

struct points_plan {
	const char *path;
	json_t *root; /* owns all strings */
	struct planned_point *points;
	struct record_slice *slices; /* one for each point */
	size_t n;
	struct record_place *guides; /* other places, see record_options */
	size_t n_guides;
	uint64_t thread;        /* index; UINT64_MAX: all threads */
	uint64_t interval_size; /* 0: unknown */
	uint64_t instructions;  /* of the whole run; 0: unknown */
	uint64_t filtered;      /* those of them that are filtered; 0: unknown */
	const char *profile;    /* UUID of the vector run; NULL: unknown */
	const char *trace;      /* its file */
};

/*
 * Reads a plan. warmup: instructions before each point; UINT64_MAX: as the plan says. Returns false
 * after a message.
 */
bool points_plan_read(const char *path, uint64_t warmup, struct points_plan *plan);
void points_plan_free(struct points_plan *plan);

#endif
