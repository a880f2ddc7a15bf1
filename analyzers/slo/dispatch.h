/* SPDX-License-Identifier: MIT */
/*
 * Dispatches of interpreters that end the code of each operation with a jump to the code of the
 * next one. To follow all these edges would turn one loop into a nest of loops in a meaningless
 * order. Indirect jumps of a function that share targets go through a node of their own instead, as
 * those of a switch do.
 */
#ifndef SLO_DISPATCH_H
#define SLO_DISPATCH_H

#include "analyzers/slo/functions.h"
#include "analyzers/slo/graph.h"

struct slo_dispatches {
	uint32_t count;
	uint32_t *jumps;   /* by number: the first of the nodes that jump */
	uint32_t *of_node; /* by node: the number of the one it goes through, or SLO_NONE */
};

/* Finds the dispatches. Ends the process if memory is out. */
void slo_dispatches_init(struct slo_dispatches *dispatches, const struct slo_graph *graph,
			 const struct slo_functions *functions);
void slo_dispatches_free(struct slo_dispatches *dispatches);

#endif
