/* SPDX-License-Identifier: MIT */
/*
 * Fewer centres from many (Ward: Hierarchical grouping to optimize an objective function, JASA 58,
 * 1963).
 */
#ifndef WARD_H
#define WARD_H

/*
 * Merges the two of k centres whose union adds least to the sum of squared distances,
 * w v / (w + v) |a - b|^2 for centres a and b of weights w and v, until n are left, 1 <= n <= k. Of
 * pairs that add as much the first one is merged. merged: n * dim, in the order of the centres.
 * Time O(k^3 + k^2 dim).
 */
void ward_merge(const double *centres, const double *weights, unsigned k, unsigned dim, unsigned n,
		double *merged);

#endif
