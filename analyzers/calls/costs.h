/* SPDX-License-Identifier: MIT */
/*
 * The costs of the nodes of a call tree and, if these are asked for, of the static instructions
 * that the nodes execute. The costs of an execution of a block are static, but for operands whose
 * extent depends on registers.
 */
#ifndef CALLS_COSTS_H
#define CALLS_COSTS_H

#include "traceformat/common/hash_table.h"
#include "traceformat/traceformat.h"

enum call_cost {
	CALL_INSTRUCTIONS,
	CALL_LOADS,    /* accesses that read; each repetition and active lane is one */
	CALL_STORES,   /* accesses that write, counted likewise */
	CALL_BRANCHES, /* conditional */
	CALL_BYTES_LOADED,
	CALL_BYTES_STORED,
	CALL_MODELLED, /* that of a model, if there is one */
	N_CALL_COSTS
};

struct call_sums {
	uint64_t costs[N_CALL_COSTS];
};

/* The executions of some instructions of a block in a node. */
struct call_execution {
	struct call_execution_key {
		uint32_t node, block;
		uint16_t first, end; /* the instructions first .. end - 1 */
	} key;
	uint64_t times;
};

/* The costs of operands whose extent depends on registers, by instruction and node. */
struct call_extent {
	struct call_extent_key {
		uint32_t node, block, insn;
	} key;
	struct call_sums sums;
};

/* The instructions that are counted. */
enum call_detail {
	CALL_DETAIL_NONE,
	CALL_DETAIL_INSNS, /* instructions, for all nodes together: node 0 */
	CALL_DETAIL_NODES, /* instructions of each node */
};

struct call_costs {
	enum call_detail detail;
	ARRAY(struct call_sums) nodes; /* by node */
	HASH_TABLE(struct call_execution) executions;
	HASH_TABLE(struct call_extent) extents;
	const char *modelled;    /* name of the cost of the model; NULL: there is none */
	const uint64_t *by_insn; /* that cost of the present execution, by instruction */
	uint64_t unmeasured;     /* executions of such operands of which the trace has no extent */
};

/* The cost by which profiles for other programs weigh call paths. */
static inline enum call_cost call_costs_weight(const struct call_costs *costs)
{
	return costs->modelled ? CALL_MODELLED : CALL_INSTRUCTIONS;
}

/* Returns how many of the costs there are. */
static inline unsigned call_costs_count_kinds(const struct call_costs *costs)
{
	return costs->modelled ? N_CALL_COSTS : CALL_MODELLED;
}

void call_costs_free(struct call_costs *costs);

/* Makes room for a node. Ends the process if memory is out. */
void call_costs_add_node(struct call_costs *costs, uint32_t node);

/*
 * Adds costs of another profile of the trace. nodes: by node of the other profile, the node here.
 * Ends the process if memory is out.
 */
void call_costs_merge(struct call_costs *costs, const struct call_costs *other,
		      const uint32_t *nodes);

/* Returns the static costs of the instructions first .. end - 1 of a block. */
struct call_sums call_costs_of(const struct tf_block *block, unsigned first, unsigned end);

/* Adds to the costs of a node. */
static inline void call_costs_add(struct call_costs *costs, uint32_t node,
				  const struct call_sums *sums)
{
	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		costs->nodes.at[node].costs[i] += sums->costs[i];
}

/* Returns the node that instructions are counted for. */
static inline uint32_t call_costs_detail_node(const struct call_costs *costs, uint32_t node)
{
	return costs->detail == CALL_DETAIL_NODES ? node : 0;
}

/*
 * Counts an execution of the instructions first .. end - 1 of a block in a detail node. Returns the
 * number of its counter in costs->executions. Ends the process if memory is out.
 */
uint32_t call_costs_count(struct call_costs *costs, uint32_t detail_node, uint32_t block,
			  unsigned first, unsigned end);

/*
 * Adds the costs of the operands of the instructions first .. end - 1 of an execution whose extent
 * depends on registers. Ends the process if memory is out.
 */
void call_costs_measure(struct call_costs *costs, uint32_t node, const struct tf_block_exec *exec,
			unsigned first, unsigned end);

/*
 * Adds the model's cost of instruction insn of a block to a node. Ends the process if memory is
 * out.
 */
void call_costs_add_modelled(struct call_costs *costs, uint32_t node, const struct tf_block *block,
			     unsigned insn, uint64_t cost);

/* Adds costs->by_insn of the instructions first .. end - 1 of the present execution to a node. */
void call_costs_model(struct call_costs *costs, uint32_t node, const struct tf_block *block,
		      unsigned first, unsigned end);

/*
 * Calls visit(opaque, node, block, insn, costs) for each detail node and static instruction that it
 * executed, perhaps several times for one pair; costs: N_CALL_COSTS numbers to be added.
 */
void call_costs_visit(const struct call_costs *costs, const struct tf_reader *reader,
		      void (*visit)(void *opaque, uint32_t node, const struct tf_block *block,
				    unsigned insn, const uint64_t *costs),
		      void *opaque);

#endif
