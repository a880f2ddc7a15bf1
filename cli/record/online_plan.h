/* SPDX-License-Identifier: MIT */
/* The results of --points=online beside the slices. */
#ifndef ONLINE_PLAN_H
#define ONLINE_PLAN_H

#include <stdio.h>

#include "cli/record/options.h"

struct online_results {
	const struct record_options *options;
	const struct record_clusters *clusters;
	const char *uuid;    /* of the trace of all recorded intervals */
	const char *windows; /* its file */
};

/*
 * Return a cluster's share of the program, and how many of its instructions one of its slice stands
 * for; NaN: there is no such number.
 */
double online_weight(const struct record_clusters *clusters, const struct record_cluster *cluster);
double online_multiplier(const struct record_cluster *cluster);

/* Returns the share of the program in clusters that have slices. */
double online_represented(const struct record_clusters *clusters);

/*
 * Returns the share of the program in intervals that are farther from their cluster than the
 * radius.
 */
double online_outside(const struct online_results *results);

/*
 * Writes a plan as trace-simpoint's JSON: of the clusters that have slices or, with `missing`, of
 * the others, so that trace-record --points can record those in a second run. Places have no
 * markers.
 */
void online_write_plan(const struct online_results *results, bool missing, FILE *out);

/* Writes for each interval its cluster and its distance from the first interval of the cluster. */
void online_write_labels(const struct online_results *results, FILE *out);

#endif
