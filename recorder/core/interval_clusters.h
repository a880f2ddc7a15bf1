/* SPDX-License-Identifier: MIT */
/*
 * Leader clustering of intervals while a program runs (Hartigan, Clustering Algorithms, 1975; for
 * the phases of programs Sherwood, Sair, Calder, ISCA 2003). The first interval of a cluster is its
 * leader. An interval belongs to the cluster of the nearest leader, unless that is farther away
 * than the radius: then it founds a cluster, as long as there are fewer than the most.
 *
 * An interval is known by its sketch (vector_summary.h), divided by the interval's filtered
 * instructions.
 */
#ifndef INTERVAL_CLUSTERS_H
#define INTERVAL_CLUSTERS_H

#include "recorder/core/vector_summary.h"

struct interval_clusters;

/* Returns NULL if memory is out. most: from 1. */
struct interval_clusters *interval_clusters_new(double radius, uint32_t most);
void interval_clusters_free(struct interval_clusters *clusters);

/*
 * Returns the number of the interval's cluster, from 0 in the order in which clusters are founded.
 * Sets *distance to the distance from the leader.
 */
uint32_t interval_clusters_assign(struct interval_clusters *clusters,
				  const float sketch[VECTOR_SKETCH], double *distance);

/* Returns the number of clusters. */
uint32_t interval_clusters_n(const struct interval_clusters *clusters);

/*
 * Returns |a - b| / sqrt(|a|^2 + |b|^2): 0 for equal vectors, 1 for vectors of different code. If a
 * part x of the instructions of an interval is executed in other, similar code, the distance is
 * about x. Its relative standard deviation is that of projections to 64 dimensions, 18 %.
 */
double interval_clusters_distance(const float a[VECTOR_SKETCH], const float b[VECTOR_SKETCH]);

#endif
