/* SPDX-License-Identifier: MIT */
/*
 * The distance of two runs over time. Their intervals are aligned by dynamic time warping, so that
 * a phase that takes longer in one of the runs still meets the same phase in the other; the
 * symmetric form of H. Sakoe and S. Chiba, "Dynamic programming algorithm optimization for spoken
 * word recognition", 1978: a step in both runs counts twice, and the distance is the sum over the
 * steps divided by the number of intervals of both.
 */
#ifndef COMPARE_DISTANCE_H
#define COMPARE_DISTANCE_H

#include "cli/compare/vectors.h"

/* Intervals that are aligned with each other. */
struct aligned {
	uint32_t of[2];  /* index in each run */
	double distance; /* 0: the same blocks, in the same shares; 1: no block in common */
};

struct alignment {
	ARRAY(struct aligned) steps;
	double distance; /* of the runs, from 0 to 1 */
};

/* More intervals of a run than these are not aligned: time and memory grow with the product. */
enum { MOST_INTERVALS = 2000 };

/* Aligns two runs; without intervals in either the alignment is empty. Free steps.at. */
struct alignment align_intervals(const struct intervals *a, const struct intervals *b);

#endif
