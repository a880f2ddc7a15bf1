/* SPDX-License-Identifier: MIT */
/*
 * Finds the loops of each node of a graph (T. Wei, J. Mao, W. Zou and Y. Chen, "A New Algorithm for
 * Identifying Loops in Decompilation", SAS 2007). A loop is identified by its header, the node
 * through which a depth-first search enters it; loops of one header are one. In a loop that can be
 * entered through several nodes (an irreducible one) the header is the first of these nodes that
 * the search reaches.
 */
#ifndef SLO_LOOPS_H
#define SLO_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#define LOOP_NONE UINT32_MAX

/* Successors of node n: edges[first[n]] .. edges[first[n + 1] - 1]. */
struct loop_graph {
	uint32_t n_nodes;
	const uint32_t *first, *edges;
};

struct loop {
	uint32_t header; /* node */
	uint32_t parent; /* the loop around it, or LOOP_NONE */
	uint32_t depth;  /* loops around it */
	bool irreducible;
};

struct loop_forest {
	uint32_t count;
	struct loop *loops;  /* by header, ascending */
	uint32_t *innermost; /* by node: its loop, a header's is its own; or LOOP_NONE */
};

/*
 * Searches from each root that no earlier one reaches. Nodes that no root reaches are in no loop.
 * Ends the process if memory is out.
 */
void loop_forest_init(struct loop_forest *forest, const struct loop_graph *graph,
		      const uint32_t *roots, uint32_t n_roots);
void loop_forest_free(struct loop_forest *forest);

#endif
