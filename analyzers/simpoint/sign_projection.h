/* SPDX-License-Identifier: MIT */
/*
 * Projects vectors to few dimensions by a matrix of 1 and -1 (Achlioptas: Database-friendly random
 * projections, PODS 2001), whose rows are made from the identities of blocks, so that no matrix is
 * stored, and points of two runs can be compared.
 */
#ifndef SIGN_PROJECTION_H
#define SIGN_PROJECTION_H

#include <stddef.h>
#include <stdint.h>

enum { SIGN_PROJECTION_MAX_DIM = 1024 };

/*
 * Projects counts of blocks with these identities, divided by their sum: coordinate j is the sum of
 * +-count over all blocks, by bit j of the numbers that splitmix64 makes of an identity, divided by
 * sum * sqrt(dim). It is exact up to the last division, so that the order of blocks does not
 * matter, if the counts are whole and at most 2^53 together. sum 0: the point is the origin. dim: 1
 * to SIGN_PROJECTION_MAX_DIM.
 */
void sign_project(const uint64_t *identities, const double *counts, size_t n, double sum,
		  unsigned dim, float *point);

#endif
