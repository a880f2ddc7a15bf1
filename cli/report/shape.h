/* SPDX-License-Identifier: MIT */
/* Gives results the form that the page reads, where the form of the analyzers is another one. */
#ifndef REPORT_SHAPE_H
#define REPORT_SHAPE_H

#include <jansson.h>

/*
 * Renames "stackdist.caches", which has many sizes, to "miss_ratio_curve", and makes of
 * "calls_by_thread" the member "threads" of "calls": for each thread its call paths.
 */
void shape_results(json_t *results);

#endif
