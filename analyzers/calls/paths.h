/* SPDX-License-Identifier: MIT */
/* The costs of call paths and of functions, added up. Exclusive costs are those of a path's last
 * function; inclusive ones have those of the functions called from there, too. */
#ifndef CALLS_PATHS_H
#define CALLS_PATHS_H

#include "analyzers/calls/walk.h"
#include "analyzers/common/symbol_names.h"

/* A path of calls by function, whatever the places of the calls. Path 0 is above all others. */
struct call_path {
	uint32_t parent;   /* path, or CALL_NONE */
	uint32_t function; /* number, or CALL_NONE for path 0 */
	uint32_t depth;    /* functions on the path; 0 for path 0 */
	uint32_t end;      /* number of the first path after it that is not below it */
	uint64_t calls;
};

struct call_function_sums {
	uint32_t function;
	uint64_t calls;
	uint64_t exclusive[N_CALL_COSTS];
	uint64_t inclusive[N_CALL_COSTS]; /* of outermost calls: none is counted twice */
};

struct call_paths {
	struct call_profile *profile;
	struct symbol_names *names;
	size_t count;
	struct call_path *paths;  /* in the order of a walk through the tree, below a path
					   those with the greatest inclusive costs first */
	struct call_sums *before; /* by path, and for count: the exclusive costs of the paths
					   before it */
	uint32_t *path_of_node;   /* by node of the profile's tree */
	struct call_function_sums *functions; /* by number of the function */
};

/*
 * Adds up a profile's costs. sort: the cost that orders paths. Takes the costs of the profile's
 * nodes over, unless keeps_nodes is set: a profile may have millions of nodes. The profile and the
 * names must outlive the result. Ends the process if memory is out.
 */
void call_paths_init(struct call_paths *paths, struct call_profile *profile,
		     struct symbol_names *names, enum call_cost sort, bool keeps_nodes);
void call_paths_free(struct call_paths *paths);

/* Returns the exclusive costs of the paths first .. end - 1. */
static inline struct call_sums call_paths_sums(const struct call_paths *paths, size_t first,
					       size_t end)
{
	struct call_sums sums = paths->before[end];

	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		sums.costs[i] -= paths->before[first].costs[i];
	return sums;
}

static inline struct call_sums call_path_exclusive(const struct call_paths *paths, size_t path)
{
	return call_paths_sums(paths, path, path + 1);
}

static inline struct call_sums call_path_inclusive(const struct call_paths *paths, size_t path)
{
	return call_paths_sums(paths, path, paths->paths[path].end);
}

/* Returns the name of a function, "[unknown]" without one. Valid as long as the names. */
const char *call_function_name(const struct call_paths *paths, uint32_t function);

/* Returns the file of a function's module without folders, or "[no file]". */
const char *call_function_module(const struct call_paths *paths, uint32_t function);

/* Returns what call_path_text does for the path of a node of the profile's tree. Free it. */
char *call_node_text(const struct call_profile *profile, struct symbol_names *names, uint32_t node);

/*
 * Returns the functions of a path, the first one first, with semicolons between them. Free it.
 */
char *call_path_text(const struct call_paths *paths, uint32_t path);

/*
 * Returns the numbers of all functions that were executed, those with the greatest exclusive costs
 * first, equal ones by module and name; *count receives their number. Free the array.
 */
uint32_t *call_functions_sorted(const struct call_paths *paths, enum call_cost sort, size_t *count);

#endif
