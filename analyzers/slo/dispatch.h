/* SPDX-License-Identifier: MIT */
/*
 * Interpreters that end the code of each operation with a jump to that of the next one: to follow all
 * these ways would make a nest of loops of what is one, in no order that means anything. Indirect jumps
 * of a function that share targets go through a node of their own instead, as those of a switch do.
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

/* Memory that is out ends the process. */
void slo_dispatches_init(struct slo_dispatches *dispatches, const struct slo_graph *graph,
			 const struct slo_functions *functions);
void slo_dispatches_free(struct slo_dispatches *dispatches);

#endif
