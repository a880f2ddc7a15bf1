/* SPDX-License-Identifier: MIT */
/* The META lines (FORMAT.md 3.1) of a trace that is a slice of an execution. */
#ifndef SLICE_META_H
#define SLICE_META_H

#include <stdbool.h>

#include "traceformat/tracewriter.h"

enum { SLICE_META_LINES = 24, SLICE_META_TEXT = 256 };

/*
 * Lines; with a count of 0 there are none. They hold pointers into the struct, which must not move.
 */
struct slice_meta {
	size_t count;
	struct tf_meta_line lines[SLICE_META_LINES];
	char texts[SLICE_META_LINES][SLICE_META_TEXT];
};

/* The simulation point that a slice is of. */
struct slice_point {
	uint64_t cluster;
	uint64_t interval;      /* UINT64_MAX: not known */
	uint64_t interval_size; /* instructions; 0: not known */
	bool exact;             /* intervals are counted exactly, not as exp-bbv counts */
	double weight;          /* NAN: not known */
	double multiplier;      /* NAN: not known */
};

/* Adds a line: its key, a constant, and its value as printf makes it, cut at SLICE_META_TEXT. */
void slice_meta_add(struct slice_meta *meta, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds the lines about a point, of what is known. */
void slice_meta_add_point(struct slice_meta *meta, const struct slice_point *point);

#endif
