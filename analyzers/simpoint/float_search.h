/* SPDX-License-Identifier: MIT */
/* Clusters a sample of many points, and refines a clustering of the sample to one of all points. */
#ifndef FLOAT_SEARCH_H
#define FLOAT_SEARCH_H

#include "analyzers/simpoint/bounded_kmeans.h"
#include "analyzers/simpoint/search.h"

/* The points that a trial clusters. */
struct float_sample {
	struct float_points points;
	size_t represents; /* intervals */
	enum initial_centres initial;
	unsigned iterations; /* at most */
	double noise;        /* see bic_score */
};

/*
 * Draws at most `size` points by chance and weight, none twice: those with the greatest ln(u) /
 * weight (Efraimidis and Spirakis, IPL 97, 2006). They weigh the same; if all points are taken, as
 * much as they did. Returns the places of the sample's points among all, ascending. Free it.
 */
size_t *float_sample_draw(const struct float_points *points, size_t size, uint64_t seed,
			  struct float_points *sample);

/* The function `cluster` of struct search_options; opaque: a struct float_sample. */
void float_sample_cluster(const void *opaque, struct clustering *c);

/*
 * Makes a clustering of all points from one of a sample: at most `limit` iterations that begin with
 * its centres.
 */
void float_refine(const struct float_points *points, const struct clustering *of_sample,
		  unsigned limit, unsigned jobs, struct clustering *c);

#endif
