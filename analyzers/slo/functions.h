/* SPDX-License-Identifier: MIT */
/*
 * Finds the function of each node of a graph. Where the trace has symbols, the symbols define
 * functions, and a function's part elsewhere (gcc's `f.cold`) belongs to the function. Elsewhere a
 * function is a set of nodes that jumps connect, up to nodes that are called.
 */
#ifndef SLO_FUNCTIONS_H
#define SLO_FUNCTIONS_H

#include "analyzers/slo/graph.h"

struct slo_function {
	const struct tf_symbol *symbol; /* or NULL */
	uint32_t entry;                 /* node: of those that are called, else of all, the
					   first */
};

struct slo_functions {
	uint32_t count;
	struct slo_function *functions; /* by their first nodes, ascending */
	uint32_t *of_node;              /* by node: its function */
	uint32_t *first_node;           /* by function: its nodes; and the total */
	uint32_t *nodes;
};

/* Finds the functions. Ends the process if memory is out. */
void slo_functions_init(struct slo_functions *functions, const struct slo_graph *graph);
void slo_functions_free(struct slo_functions *functions);

#endif
