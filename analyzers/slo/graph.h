/* SPDX-License-Identifier: MIT */
/*
 * The control flow graph of the code of a trace. Its nodes are basic blocks that do not overlap: a
 * block of the trace is cut wherever another one begins, so that the first iteration of a loop that
 * control falls into is made of the same nodes as the others. Code that was changed in place is
 * treated as the code before it.
 */
#ifndef SLO_GRAPH_H
#define SLO_GRAPH_H

#include <stddef.h>

#include "traceformat/common/array.h"
#include "traceformat/traceformat.h"

#define SLO_NONE UINT32_MAX

/* Nodes are numbered by place, and so in the same way in each run of a program. */
struct slo_node {
	uint32_t module; /* TF_NONE: none, and offsets are pcs */
	uint64_t offset; /* of the first instruction: its ELF virtual address in the module */
	uint64_t last;   /* of the last instruction, likewise */
	const struct tf_block *block; /* a block of the trace that contains the node */
	bool entry;                   /* a call leads to it */
	bool after_call;              /* a call returns there */
};

/* The part of a block of the trace that is one node. */
struct slo_piece {
	uint32_t node;
	uint32_t end; /* index of the instruction behind it */
};

struct slo_graph {
	const struct tf_reader *reader;
	uint32_t n_nodes;
	struct slo_node *nodes;
	uint32_t *first_piece; /* by block id: its pieces; and the total */
	ARRAY(struct slo_piece) pieces;
	uint32_t *first_edge; /* by node: its successors; and the total */
	uint32_t *edges;      /* nodes that may be next in the same call, ascending */
};

/* A jump, call or return from block `from` to block `to`. */
struct slo_transfer {
	uint32_t from, to; /* block ids */
};

/*
 * Reads a loaded trace. Edges follow the code of executed blocks to executed nodes; the targets of
 * indirect jumps and calls come from transfers. Ends the process if memory is out.
 */
void slo_graph_init(struct slo_graph *graph, const struct tf_reader *reader,
		    const struct slo_transfer *transfers, size_t n_transfers);
void slo_graph_free(struct slo_graph *graph);

/* Returns the node of the first instruction of a block, which exists. */
static inline uint32_t slo_first_node(const struct slo_graph *graph, uint32_t block)
{
	return graph->pieces.at[graph->first_piece[block]].node;
}

#endif
