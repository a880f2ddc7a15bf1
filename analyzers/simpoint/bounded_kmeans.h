/* SPDX-License-Identifier: MIT */
/*
 * k-means of many points by Lloyd's iteration, which keeps bounds of distances and computes only
 * those that may change an assignment: for few clusters one lower bound a point (Hamerly: Making
 * k-means even faster, SDM 2010), for many one for each group of about ten clusters (Ding et al.:
 * Yinyang k-means, ICML 2015). The result is that of the plain iteration to the last bit, and
 * does not depend on the number of cores.
 *
 * A cluster that becomes empty takes the point that is farthest from its centre. If no point can be
 * spared, it stays empty, with weight 0.
 */
#ifndef BOUNDED_KMEANS_H
#define BOUNDED_KMEANS_H

#include "analyzers/simpoint/float_points.h"
#include "analyzers/simpoint/kmeans.h"

/* Writes k centres of k * points->dim coordinates. The weights of points count, too. */
void bounded_initial(const struct float_points *points, unsigned k, enum initial_centres method,
		     struct random *random, double *centres);

/*
 * Iterates from c->initial (k, dim and it are set; centres, weights and labels have room) until no
 * assignment changes, at most `limit` times. Sets centres, weights, labels, and iterations.
 * Distances are computed in single precision from centres that are rounded to it; of centres that
 * are as near the first one counts. n_groups: of clusters with a common lower bound; 0: as k asks
 * for.
 */
void bounded_iterate(const struct float_points *points, struct clustering *c, unsigned limit,
		     unsigned n_groups, unsigned jobs);

/* Sets the distances, not squared, of all points from the centres of their labels. */
void bounded_distances(const struct float_points *points, const struct clustering *c,
		       double *distances, unsigned jobs);

#endif
