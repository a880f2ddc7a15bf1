/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/costs.h"

#include "cli/common/checked.h"

void call_costs_free(struct call_costs *costs)
{
	free(costs->nodes.at);
	TABLE_FREE(costs->executions);
	TABLE_FREE(costs->extents);
}

void call_costs_add_node(struct call_costs *costs, uint32_t node)
{
	CHECKED_RESERVE(costs->nodes, node + (size_t)1);
	if (costs->nodes.count <= node)
		costs->nodes.count = node + (size_t)1;
}

static void add_sums(struct call_sums *sums, const struct call_sums *more)
{
	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		sums->costs[i] += more->costs[i];
}

void call_costs_merge(struct call_costs *costs, const struct call_costs *other,
		      const uint32_t *nodes)
{
	for (size_t i = 0; i < other->nodes.count; i++) {
		call_costs_add_node(costs, nodes[i]);
		add_sums(&costs->nodes.at[nodes[i]], &other->nodes.at[i]);
	}
	for (size_t i = 0; i < other->executions.count; i++) {
		const struct call_execution *x = &other->executions.at[i];
		struct call_execution *execution = checked(
			TABLE_PUT(costs->executions,
				  { nodes[x->key.node], x->key.block, x->key.first, x->key.end }));

		execution->times += x->times;
	}
	for (size_t i = 0; i < other->extents.count; i++) {
		const struct call_extent *x = &other->extents.at[i];
		struct call_extent *extent = checked(
			TABLE_PUT(costs->extents,
				  { nodes[x->key.node], x->key.block, x->key.insn }));

		add_sums(&extent->sums, &x->sums);
	}
	costs->unmeasured += other->unmeasured;
}

/* ---- costs of instructions --------------------------------------------------------------- */

static void add_operand(struct call_sums *sums, const struct tf_operand *operand, uint64_t accesses,
			uint64_t bytes)
{
	if (operand->access & TF_LOAD) {
		sums->costs[CALL_LOADS] += accesses;
		sums->costs[CALL_BYTES_LOADED] += bytes;
	}
	if (operand->access & TF_STORE) {
		sums->costs[CALL_STORES] += accesses;
		sums->costs[CALL_BYTES_STORED] += bytes;
	}
}

static void add_insn(struct call_sums *sums, const struct tf_block *block, unsigned insn)
{
	const struct tf_insn *in = &block->insns[insn];

	sums->costs[CALL_INSTRUCTIONS]++;
	sums->costs[CALL_BRANCHES] += insn + 1u == block->n_insns &&
				      block->end == TF_END_CONDITIONAL;
	for (unsigned i = in->first_operand; i < in->first_operand + in->n_operands; i++)
		if (block->operands[i].form == TF_PLAIN)
			add_operand(sums, &block->operands[i], 1, block->operands[i].size);
}

struct call_sums call_costs_of(const struct tf_block *block, unsigned first, unsigned end)
{
	struct call_sums sums = { 0 };

	for (unsigned i = first; i < end; i++)
		add_insn(&sums, block, i);
	return sums;
}

/* ---- counting ---------------------------------------------------------------------------- */

uint32_t call_costs_count(struct call_costs *costs, uint32_t detail_node, uint32_t block,
			  unsigned first, unsigned end)
{
	struct call_execution *execution = checked(
		TABLE_PUT(costs->executions,
			  { detail_node, block, (uint16_t)first, (uint16_t)end }));

	execution->times++;
	return (uint32_t)(execution - costs->executions.at);
}

static void add_extent(struct call_costs *costs, uint32_t node, const struct tf_block *block,
		       unsigned insn, const struct call_sums *sums)
{
	struct call_extent *extent = checked(TABLE_PUT(costs->extents, { node, block->id, insn }));

	add_sums(&extent->sums, sums);
}

void call_costs_measure(struct call_costs *costs, uint32_t node, const struct tf_block_exec *exec,
			unsigned first, unsigned end)
{
	const struct tf_block *block = exec->block;

	for (unsigned i = 0; i < block->n_operands; i++) {
		const struct tf_operand *operand = &block->operands[i];
		struct call_sums sums = { 0 };

		if (operand->form == TF_PLAIN || operand->insn < first || operand->insn >= end)
			continue;
		if (!exec->values) {
			costs->unmeasured++;
			continue;
		}
		uint64_t accesses = tf_access_count(operand, exec->values);

		add_operand(&sums, operand, accesses,
			    operand->form == TF_SIZED ? exec->values[operand->extra]
						      : accesses * operand->size);
		call_costs_add(costs, node, &sums);
		if (costs->detail != CALL_DETAIL_NONE)
			add_extent(costs, call_costs_detail_node(costs, node), block, operand->insn,
				   &sums);
	}
}

/* ---- costs of a model -------------------------------------------------------------------- */

void call_costs_add_modelled(struct call_costs *costs, uint32_t node, const struct tf_block *block,
			     unsigned insn, uint64_t cost)
{
	struct call_sums sums = { .costs = { [CALL_MODELLED] = cost } };

	costs->nodes.at[node].costs[CALL_MODELLED] += cost;
	if (cost && costs->detail != CALL_DETAIL_NONE)
		add_extent(costs, call_costs_detail_node(costs, node), block, insn, &sums);
}

void call_costs_model(struct call_costs *costs, uint32_t node, const struct tf_block *block,
		      unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		if (costs->by_insn[i])
			call_costs_add_modelled(costs, node, block, i, costs->by_insn[i]);
}

/* ---- instructions that were counted ------------------------------------------------------- */

void call_costs_visit(const struct call_costs *costs, const struct tf_reader *reader,
		      void (*visit)(void *opaque, uint32_t node, const struct tf_block *block,
				    unsigned insn, const uint64_t *costs),
		      void *opaque)
{
	for (size_t e = 0; e < costs->executions.count; e++) {
		const struct call_execution *x = &costs->executions.at[e];
		const struct tf_block *block = tf_block(reader, x->key.block);

		for (unsigned i = x->key.first; i < x->key.end; i++) {
			struct call_sums sums = call_costs_of(block, i, i + 1);

			for (unsigned cost = 0; cost < N_CALL_COSTS; cost++)
				sums.costs[cost] *= x->times;
			visit(opaque, x->key.node, block, i, sums.costs);
		}
	}
	for (size_t e = 0; e < costs->extents.count; e++) {
		const struct call_extent *x = &costs->extents.at[e];

		visit(opaque, x->key.node, tf_block(reader, x->key.block), x->key.insn,
		      x->sums.costs);
	}
}
