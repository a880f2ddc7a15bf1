/* SPDX-License-Identifier: MIT */
/*
 * k-means by Lloyd's iteration (IEEE Trans. Inf. Theory 28, 1982).
 *
 * Two kinds. SimPoint 3.2's, for the same results: an empty cluster becomes the origin, with
 * weight 0; it ends when no coordinate of a centre changes; and where the limit of iterations
 * ends it, the centres and weights of the iteration before the last are the result. Ours: no
 * cluster is empty; one that gets so takes the point that is farthest from its centre, and if
 * there are fewer different points than clusters, there are fewer clusters.
 */
#ifndef KMEANS_H
#define KMEANS_H

#include <stdbool.h>

#include "analyzers/simpoint/points.h"
#include "analyzers/simpoint/random.h"

struct clustering {
	unsigned k, dim;
	const double *begin; /* the centres to begin with, k * dim; NULL: by chance */
	double *initial;     /* k * dim: the centres it began with */
	double *centres;     /* k * dim */
	double *weights;     /* k: sum of those of the points */
	uint32_t *labels;    /* of all points: nearest centre, the first if two are as near */
	double bic;
	double squares; /* weighted mean of the squared distances from the centres */
	uint32_t seed;
	unsigned iterations;
};

enum initial_centres {
	INITIAL_PLUS_PLUS, /* by chance, by squared distance from those chosen; of several
				   candidates the best (Arthur, Vassilvitskii: k-means++, 2007) */
	INITIAL_SAMPLE,    /* any points, also one twice */
	INITIAL_FURTHEST,  /* the first by chance, then what is farthest from all chosen */
};

/* Writes k centres. k is not 0, and there are points. */
void kmeans_initial(const struct points *points, unsigned k, enum initial_centres method,
		    struct random *random, double *centres);

/*
 * Iterates from clustering->initial (k, dim and it are set; centres and weights have room) at most
 * `limit` times. Sets centres, weights, iterations, and k if clusters were left out.
 */
void kmeans_iterate(const struct points *points, struct clustering *clustering, unsigned limit,
		    bool as_simpoint);

/* Labels all points. distances: squared, to the centre; may be NULL. */
void kmeans_label(const struct points *points, const struct clustering *clustering,
		  uint32_t *labels, double *distances);

void clustering_free(struct clustering *clustering);

#endif
