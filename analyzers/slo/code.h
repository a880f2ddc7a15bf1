/* SPDX-License-Identifier: MIT */
/*
 * The static side of a trace in the form that locality advice needs: its nodes, functions and
 * loops.
 */
#ifndef SLO_CODE_H
#define SLO_CODE_H

#include "analyzers/slo/dispatch.h"
#include "analyzers/slo/functions.h"
#include "analyzers/slo/graph.h"
#include "analyzers/slo/loops.h"

struct slo_code {
	struct slo_graph graph;
	struct slo_functions functions;
	struct slo_dispatches dispatches;
	struct loop_forest loops; /* within functions; its nodes are those of the graph and
					   then the dispatches */
	bool *landings;           /* by node: longjmp, an exception or the like jumped there from
			   another function */
	struct slo_end *ends;     /* by block id */
};

/* The effect of a block's last instruction on the call stack, or the fact that it dispatches. */
struct slo_end {
	uint8_t kind;   /* enum slo_end_kind */
	uint32_t value; /* which of an execution's values is the address of the return
				   address; of a dispatch: its number */
};
enum slo_end_kind { SLO_GOES_ON, SLO_CALLS, SLO_RETURNS, SLO_DISPATCHES };

/* Returns the header of a loop; for a loop that is a dispatch, the first of the nodes that jump. */
static inline uint32_t slo_header(const struct slo_code *code, uint32_t loop)
{
	uint32_t header = code->loops.loops[loop].header, n = code->graph.n_nodes;

	return header < n ? header : code->dispatches.jumps[header - n];
}

static inline uint32_t slo_function_of_loop(const struct slo_code *code, uint32_t loop)
{
	return code->functions.of_node[slo_header(code, loop)];
}

#endif
