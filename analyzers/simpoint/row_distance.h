/* SPDX-License-Identifier: MIT */
/*
 * Distances between vectors themselves, not their projections: half the sum over all blocks of the
 * absolute difference between their shares of the instructions, 0 to 1.
 */
#ifndef ROW_DISTANCE_H
#define ROW_DISTANCE_H

#include "analyzers/simpoint/bb_file.h"

/* Adds a row's shares, times weight, to shares by the id's number - 1. */
void row_add_shares(const struct bb_row *row, double weight, double *shares);

/* Subtracts them by setting them to 0. */
void row_clear_shares(const struct bb_row *row, double *shares);

/*
 * Returns the distance of a row, of whose shares a table has those of nothing else, from another.
 */
double row_distance(const double *shares, const struct bb_row *other);

/*
 * Sets the distance of each of n rows, of[i] in rows, from the row of its cluster's point. points:
 * by cluster, the number of that row in rows. labels: by i. A row or a point without pairs has the
 * distance 1.
 */
void row_distances(const struct bb_rows *rows, const size_t *of, const uint32_t *labels, size_t n,
		   const size_t *points, unsigned jobs, double *distances);

#endif
