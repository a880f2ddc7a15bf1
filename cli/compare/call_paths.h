/* SPDX-License-Identifier: MIT */
/*
 * The call trees of two traces as one tree: a path of one trace is that of the other if all
 * functions on it are the same ones.
 */
#ifndef COMPARE_CALL_PATHS_H
#define COMPARE_CALL_PATHS_H

#include "cli/compare/match.h"

struct path_pair {
	struct path_key {
		uint32_t caller; /* number of a path, or COMPARE_NONE */
		uint32_t pair;   /* of functions */
	} key;
	uint32_t depth; /* functions on the path */
	bool has[2];    /* whether each trace has the path */
	uint64_t calls[2];
	uint64_t exclusive[2][N_COSTS], inclusive[2][N_COSTS];
};

struct path_pairs {
	/* clang-format off */
	HASH_TABLE(struct path_pair); /* a path comes after its caller */
	/* clang-format on */
};

/* Joins the paths of both results. Ends the process if memory is out. */
struct path_pairs join_paths(const struct matching *matching);

/*
 * Returns the numbers of all paths in the order of a walk through the tree, below a path those
 * whose inclusive values of the metric differ most first. Free it.
 */
uint32_t *paths_by_change(const struct path_pairs *paths, const struct metric *metric);

/* Returns how far the values of a metric of a path are apart: inclusive ones, or exclusive. */
uint64_t path_change(const struct path_pair *path, const struct metric *metric, bool inclusive);

#endif
