/* SPDX-License-Identifier: MIT */
/* Hierarchical clustering, and its tree. */
#ifndef SUITE_TREE_H
#define SUITE_TREE_H

#include <stddef.h>
#include <stdint.h>

/* A merge of two clusters: numbers below n are traces, and n + i is the result of merge i. */
struct suite_merge {
	size_t first, second; /* first < second */
	double distance;
	size_t size; /* traces in the merged cluster */
};

/*
 * Merges n traces by average linkage (Sokal, Michener: A statistical method for evaluating
 * systematic relationships, 1958). distances: n * n, symmetric. Writes n - 1 merges. Time O(n^2)
 * for each merge at worst, O(n) usually. Ends the process if memory is out.
 */
void suite_tree(const double *distances, size_t n, struct suite_merge *merges);

/* Writes the n traces in the order of the leaves, so that no lines of the tree cross. */
void suite_tree_order(const struct suite_merge *merges, size_t n, size_t *order);

#endif
