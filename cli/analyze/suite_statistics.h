/* SPDX-License-Identifier: MIT */
/*
 * How similar the traces of a suite are, by their characteristics (Eeckhout, Vandierendonck, De
 * Bosschere: Workload design, PACT 2002; Phansalkar, Joshi, Eeckhout, John: Measuring program
 * similarity, ISPASS 2005):
 *
 * normalise   each characteristic, less its mean, is divided by its standard deviation (of a
 *             sample: n - 1); those that are the same for all traces are left out
 * components  principal components of the normalised characteristics; those whose variance is at
 *             least 1, that of one characteristic, are kept (Kaiser's criterion), and at least one
 * distances   Euclidean distances in the space of the kept components, divided by the square root
 *             of the number of characteristics: 1 is a standard deviation in each of them
 * tree        hierarchical clustering by average linkage: the distance of two clusters is the mean
 *             distance between a trace of one and a trace of the other; the closest two are merged
 *             first, and of pairs as close the one with the least numbers
 * clusters    k-means in the same space (suite_clusters.h)
 *
 * Traces that lack more than half of the characteristics are left out, and then the characteristics
 * that any other trace lacks.
 */
#ifndef SUITE_STATISTICS_H
#define SUITE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/simpoint/principal.h"
#include "cli/analyze/suite_clusters.h"
#include "cli/analyze/suite_tree.h"

struct suite_statistics {
	size_t n, dim; /* traces and characteristics that take part; n of 0 or 1: no more is set */
	size_t *rows;  /* n: numbers of the traces */
	size_t *columns;            /* dim: numbers of the metrics */
	double *mean, *deviation;   /* dim */
	double *normalised;         /* n * dim */
	struct principal principal; /* of all components with a variance, n - 1 or dim at most */
	unsigned kept;              /* components */
	double *distances;          /* n * n */
	struct suite_merge *merges; /* n - 1 */
	size_t *order;              /* n: traces as the leaves of the tree, from the first side */
	struct suite_clusters clusters;
	double *to_centre;    /* n: distance of a trace from the center of its cluster */
	bool *representative; /* n: none of its cluster is nearer to the center */
};

/*
 * Computes the statistics of n_rows traces with n_columns metrics each; use: which of the metrics
 * are characteristics. Values that are not known are NaN. Ends the process if memory is out.
 */
void suite_statistics(const double *values, size_t n_rows, size_t n_columns, const bool *use,
		      struct suite_statistics *statistics);
void suite_statistics_free(struct suite_statistics *statistics);

/* Returns the coordinates of a trace: principal.components numbers, of which `kept` count. */
static inline const double *suite_point(const struct suite_statistics *s, size_t i)
{
	return s->principal.at + i * s->principal.components;
}

static inline const struct clustering *chosen_clusters(const struct suite_statistics *s)
{
	return &s->clusters.at[s->clusters.chosen];
}

#endif
