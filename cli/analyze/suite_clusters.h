/* SPDX-License-Identifier: MIT */
/*
 * k-means clusters of a suite's traces, and their number.
 *
 * For each number of clusters up to half of the traces, at most MOST_CLUSTERS, there are
 * POINTS_IN_TRIALS / n clusterings, at least LEAST_TRIALS and at most MOST_TRIALS. Each begins with
 * different traces as centres, drawn by chance from a fixed seed, and iterates until nothing
 * changes (Lloyd). Of these the one with the highest BIC counts (search.h). The chosen number of
 * clusters is the smallest whose BIC is at least 90 % of the way from the worst of these to the
 * best.
 */
#ifndef SUITE_CLUSTERS_H
#define SUITE_CLUSTERS_H

#include "analyzers/simpoint/kmeans.h"

enum { MOST_CLUSTERS = 30, MOST_TRIALS = 1000, LEAST_TRIALS = 100, POINTS_IN_TRIALS = 20000 };

struct suite_clusters {
	size_t n;
	struct clustering at[MOST_CLUSTERS]; /* n: with 1, 2, ... clusters */
	size_t chosen;
};

/* Clusters points. Ends the process if memory is out. */
void find_suite_clusters(const struct points *points, struct suite_clusters *clusters);
void suite_clusters_free(struct suite_clusters *clusters);

#endif
