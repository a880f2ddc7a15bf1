/* SPDX-License-Identifier: MIT */
/*
 * Selects simulation points from a clustering, whose clusters are the strata of a sample: for each
 * cluster the interval nearest to its center stands for all of it, or intervals drawn by chance do.
 * Also estimates how far that can be trusted.
 */
#ifndef SELECTION_H
#define SELECTION_H

#include "analyzers/simpoint/bb_file.h"
#include "analyzers/simpoint/search.h"

/* A simulation point. */
struct simpoint {
	unsigned number; /* its own: that of its cluster, or with several in a cluster its place in
			    the selection */
	unsigned cluster;
	size_t interval;  /* from 0 */
	double weight;    /* share of the program that it stands for */
	double distance;  /* from the center, in the projected space */
	double radius;    /* weighted mean distance of its cluster's intervals from the center */
	size_t intervals; /* in its cluster */
	double stability; /* see select_stability; NaN: not known */
};

/* A cluster that has points, or a stratum of systematic sampling. */
struct stratum {
	unsigned cluster;
	size_t intervals;
	double weight; /* share of the program */
	double radius;
	unsigned points; /* selected from it */
};

struct selection {
	struct simpoint *at; /* ascending by cluster, then by interval */
	unsigned n;
	struct stratum *strata; /* ascending by cluster */
	unsigned n_strata;
	uint32_t *labels;  /* of all intervals: their clusters */
	double *distances; /* of all intervals from their centres */
	bool by_chance;    /* the least select_key is selected, not the least distance */
	uint64_t seed;
};

enum select_by {
	SELECT_CENTRE, /* nearest to the center, the first of several */
	SELECT_RANDOM,
	SELECT_MEDOID, /* of those nearest to the center, with the least mean distance of vectors */
	SELECT_SYSTEMATIC, /* by chance from each of several equal parts of the program */
};

struct select_options {
	enum select_by by;
	unsigned per_cluster;  /* points, not 0; with fewer intervals all of them */
	uint64_t total;        /* points to allocate by Neyman's rule; of systematic sampling: all
				 points. 0: per_cluster counts */
	const double *spreads; /* for the allocation, by cluster; NULL: the radii */
	uint64_t seed;
	bool as_simpoint; /* weights are those that k-means ended with */
};

/* Intervals with their clusters. */
struct members {
	size_t n;
	const double *weights;   /* their sum is 1 */
	const uint32_t *labels;  /* below n_clusters */
	const double *distances; /* from the centres */
	unsigned n_clusters;
	const double *cluster_weights; /* see as_simpoint */
	const struct bb_rows *rows;    /* for SELECT_MEDOID: those without pairs do not count; NULL:
				       there are none, and SELECT_MEDOID is SELECT_CENTRE */
};

/*
 * Selects points. A cluster without weight or intervals has none. The intervals of a cluster are
 * drawn without replacement, each with the same probability; with a greater number the same
 * intervals are drawn, and more.
 */
void select_points(const struct members *members, const struct select_options *options,
		   struct selection *selection);
void selection_free(struct selection *selection);

/* Returns by which of the intervals of a cluster one is selected: that with the least value. */
double select_key(const struct selection *selection, size_t interval);

/*
 * Divides `total` points among strata: at least two each, or all intervals if there are fewer, and
 * the rest in proportion to intervals * spread (Neyman, Journal of the Royal Statistical Society
 * 97, 1934), by the largest remainders. Writes the numbers to strata[].points.
 */
void select_allocate(struct stratum *strata, unsigned n, const double *spreads, uint64_t total);

/* Sets the distances, not squared, of points from the centres of their labels. */
void select_distances(const struct points *points, const struct clustering *clustering,
		      double *distances);

/*
 * Sets the stability of each point: how well its cluster is found again from other seeds, as
 * the mean over the other trials of the run of the greatest share |A and B| / |A or B| that one
 * of their clusters B has with it (Hennig, Computational Statistics & Data Analysis 52, 2007).
 * 1: always. n: points that were clustered.
 */
void select_stability(const struct run *run, unsigned n_trials, size_t n,
		      struct selection *selection);

/* How well weighted points stand for the whole, in terms of the vectors themselves. */
struct quality {
	double error;    /* half the sum over all blocks of the difference between their shares of
			   the instructions, of all intervals and of the points by weight: 0 .. 1 */
	double coverage; /* share of all instructions in blocks that some point executes */
	double distance; /* weighted mean of half the sum over all blocks of the difference between
			    an interval's shares and those of the nearest point of its cluster;
			    NaN: not known */
	double singletons; /* share of the program in clusters of one interval */
};

/* Sets all but the distance. shares: of all intervals, by the number of an id - 1. */
struct quality select_quality(const struct bb_rows *rows, const double *shares,
			      const struct selection *selection);

/*
 * Returns the distance (see row_distance.h) of an interval, whose row is given, from the nearest
 * point of its cluster. shares: zeroed, by the number of an id - 1, and so again at the end.
 */
double selection_distance(const struct selection *selection, const struct bb_rows *rows,
			  size_t interval, const struct bb_row *row, double *shares);

/* Returns the mean of these distances over all intervals. */
double selection_distance_of_all(const struct selection *selection, const struct bb_rows *rows,
				 const double *weights, unsigned jobs);

/* Returns the shares of the blocks in all intervals, by the number of an id - 1. Free them. */
double *rows_shares(const struct bb_rows *rows, const double *weights);

/*
 * How far the program is from uniform: the weighted mean over the intervals of half the sum
 * over all blocks of the difference between their shares in the interval and in the whole: 0 ..
 * 1.
 */
double rows_spread(const struct bb_rows *rows, const double *weights, const double *shares,
		   unsigned jobs);

#endif
