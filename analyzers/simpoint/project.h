/* SPDX-License-Identifier: MIT */
/*
 * From vectors to points (SimPoint 3.0, Hamerly et al., JILP 7, 2005): each vector is divided
 * by its sum, and projected to few dimensions by a matrix of random numbers between -1 and 1,
 * by which distances stay about the same.
 */
#ifndef PROJECT_H
#define PROJECT_H

#include "analyzers/simpoint/bb_file.h"
#include "analyzers/simpoint/points.h"

/* A row for each id, from 1 on: row-major. */
struct projection {
	uint32_t rows;
	bool numbered; /* for each number of an id instead, see bb_id */
	unsigned dim;
	double *at;
};

/*
 * Draws a matrix row by row. Of ids that are few among many, rows have generators of their own, so
 * that rows of other ids need not be drawn; as_simpoint: they have not. whole: rows of all ids are
 * kept, not only of those that occur. Ends the process if memory is out.
 */
void projection_draw(struct projection *projection, const struct bb_rows *rows, bool whole,
		     bool as_simpoint, unsigned dim, uint32_t seed);
void projection_free(struct projection *projection);

/*
 * Projects the rows on up to `jobs` cores; projection NULL: they are points themselves, of n_dims
 * dimensions. Coordinates are summed in the order of the pairs of a row. All points weigh the same.
 */
void project(const struct bb_rows *rows, const struct projection *projection, unsigned jobs,
	     struct points *points);

/* Weighs points by the sums of their rows, for intervals of different lengths. */
void weigh_by_sums(const struct bb_rows *rows, struct points *points);

#endif
