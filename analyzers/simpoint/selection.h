/* SPDX-License-Identifier: MIT */
/*
 * Selects simulation points from a clustering: for each cluster, the interval nearest to its centre
 * stands for all of it. Also estimates how far that can be trusted.
 */
#ifndef SELECTION_H
#define SELECTION_H

#include "analyzers/simpoint/bb_file.h"
#include "analyzers/simpoint/search.h"

/* A simulation point. */
struct simpoint {
	unsigned cluster;
	size_t interval;  /* from 0 */
	double weight;    /* share of the program that its cluster is */
	double distance;  /* from the centre, in the projected space */
	double radius;    /* weighted mean distance of its intervals from the centre */
	size_t intervals; /* in its cluster */
	double stability; /* see select_stability; NaN: not known */
};

struct selection {
	struct simpoint *at; /* ascending by cluster */
	unsigned n;
	uint32_t *labels;  /* of all intervals: their clusters */
	double *distances; /* of all intervals from their centres */
};

/*
 * Selects points. A cluster without weight or intervals has none. Weights are those of the
 * intervals of a cluster, of all; as_simpoint: those that k-means ended with.
 */
void select_points(const struct points *points, const struct clustering *clustering,
		   bool as_simpoint, struct selection *selection);
void selection_free(struct selection *selection);

/*
 * Sets the stability of each point: how well its cluster is found again from other seeds, as
 * the mean over the other trials of the run of the greatest share |A and B| / |A or B| that one
 * of their clusters B has with it (Hennig, Computational Statistics & Data Analysis 52, 2007).
 * 1: always.
 */
void select_stability(const struct run *run, unsigned n_trials, struct selection *selection);

/* How well weighted points stand for the whole, in terms of the vectors themselves. */
struct quality {
	double error;    /* half the sum over all blocks of the difference between their shares of
			   the instructions, of all intervals and of the points by weight: 0 .. 1 */
	double coverage; /* share of all instructions in blocks that some point executes */
};
struct quality select_quality(const struct bb_rows *rows, const struct points *points,
			      const struct selection *selection);

/*
 * How far the program is from uniform: the weighted mean over the intervals of half the sum
 * over all blocks of the difference between their shares in the interval and in the whole: 0 ..
 * 1.
 */
double rows_spread(const struct bb_rows *rows, const struct points *points, unsigned jobs);

#endif
