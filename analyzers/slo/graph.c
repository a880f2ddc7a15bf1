/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/graph.h"

#include <string.h>

#include "analyzers/common/leaders.h"
#include "cli/common/checked.h"

/* ---- places ------------------------------------------------------------------------------ */

static int compare_nodes(const void *a, const void *b)
{
	const struct slo_node *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct slo_node place_of(const struct tf_block *block, uint64_t distance)
{
	uint64_t base = block->module == TF_NONE ? block->pc : block->module_offset;

	return (struct slo_node){ .module = block->module, .offset = base + distance };
}

/* Returns the node that begins there, or SLO_NONE. */
static uint32_t node_at(const struct slo_graph *graph, struct slo_node place)
{
	const struct slo_node *found = bsearch(&place, graph->nodes, graph->n_nodes, sizeof(place),
					       compare_nodes);

	return found ? (uint32_t)(found - graph->nodes) : SLO_NONE;
}

/* ---- nodes ------------------------------------------------------------------------------- */

static bool begins(const struct leaders *leaders, const struct tf_block *block, unsigned insn)
{
	return insn == 0 || leads(leaders, block, insn);
}

static void find_nodes(struct slo_graph *graph, const struct leaders *leaders)
{
	ARRAY(struct slo_node) nodes = { 0 };
	size_t distinct = 0;

	for (uint32_t id = 0; id < tf_n_blocks(graph->reader); id++) {
		const struct tf_block *block = tf_block(graph->reader, id);

		for (unsigned i = 0; block && i < block->n_insns; i++) {
			if (!begins(leaders, block, i))
				continue;
			CHECKED_RESERVE(nodes, nodes.count + 1);
			nodes.at[nodes.count++] = place_of(block, block->insns[i].offset);
		}
	}
	if (nodes.count)
		qsort(nodes.at, nodes.count, sizeof(*nodes.at), compare_nodes);
	for (size_t i = 0; i < nodes.count; i++)
		if (!distinct || compare_nodes(&nodes.at[distinct - 1], &nodes.at[i]))
			nodes.at[distinct++] = nodes.at[i];
	graph->nodes = nodes.at;
	graph->n_nodes = distinct;
}

/* Extends a node. Blocks that begin alike may end differently if one was cut short. */
static void extend(struct slo_node *node, const struct tf_block *block, unsigned last)
{
	uint64_t offset = place_of(block, block->insns[last].offset).offset;

	if (node->block && node->last >= offset)
		return;
	node->block = block;
	node->last = offset;
}

static void cut_block(struct slo_graph *graph, const struct leaders *leaders,
		      const struct tf_block *block)
{
	for (unsigned i = 0, end; i < block->n_insns; i = end) {
		uint32_t node = node_at(graph, place_of(block, block->insns[i].offset));

		for (end = i + 1; end < block->n_insns && !begins(leaders, block, end); end++)
			continue;
		CHECKED_RESERVE(graph->pieces, graph->pieces.count + 1);
		graph->pieces.at[graph->pieces.count++] = (struct slo_piece){ node, end };
		extend(&graph->nodes[node], block, end - 1);
	}
}

static void cut_blocks(struct slo_graph *graph, const struct leaders *leaders)
{
	uint32_t n_blocks = tf_n_blocks(graph->reader);

	graph->first_piece = checked_array(n_blocks + 1ul, sizeof(*graph->first_piece));
	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(graph->reader, id);

		if (block)
			cut_block(graph, leaders, block);
		graph->first_piece[id + 1] = (uint32_t)graph->pieces.count;
	}
}

/* ---- edges ------------------------------------------------------------------------------- */

struct edge {
	uint32_t from, to;
};

struct edges {
	ARRAY(struct edge);
};

static void add_edge(struct edges *to, uint32_t from, uint32_t node)
{
	if (node == SLO_NONE)
		return;
	CHECKED_RESERVE(*to, to->count + 1);
	to->at[to->count++] = (struct edge){ from, node };
}

static uint32_t last_node(const struct slo_graph *graph, uint32_t block)
{
	return graph->pieces.at[graph->first_piece[block + 1] - 1].node;
}

static bool is_jump(const struct tf_block *block)
{
	return block->end == TF_END_JUMP || block->end == TF_END_INDIRECT_JUMP ||
	       block->end == TF_END_RETURN;
}

static bool is_call(const struct tf_block *block)
{
	return block->end == TF_END_CALL || block->end == TF_END_INDIRECT_CALL;
}

static uint32_t node_behind(const struct slo_graph *graph, const struct tf_block *block)
{
	return node_at(graph, place_of(block, block->code_size));
}

static void add_block_edges(struct slo_graph *graph, const struct tf_block *block,
			    struct edges *edges)
{
	uint32_t first = graph->first_piece[block->id], end = graph->first_piece[block->id + 1];
	uint32_t target = SLO_NONE;

	for (uint32_t i = first; i + 1 < end; i++)
		add_edge(edges, graph->pieces.at[i].node, graph->pieces.at[i + 1].node);
	if (block->target)
		target = node_at(graph, place_of(block, block->target - block->pc));
	if (block->end != TF_END_CALL)
		add_edge(edges, last_node(graph, block->id), target);
	else if (target != SLO_NONE)
		graph->nodes[target].entry = true;
	if (!is_jump(block) && !is_call(block))
		add_edge(edges, last_node(graph, block->id), node_behind(graph, block));
}

static void add_transfers(struct slo_graph *graph, const struct slo_transfer *transfers,
			  size_t count, struct edges *edges)
{
	for (size_t i = 0; i < count; i++) {
		const struct tf_block *from = tf_block(graph->reader, transfers[i].from);
		uint32_t to = slo_first_node(graph, transfers[i].to);

		if (from->end == TF_END_INDIRECT_CALL)
			graph->nodes[to].entry = true;
		else if (from->end == TF_END_INDIRECT_JUMP)
			add_edge(edges, last_node(graph, from->id), to);
	}
}

/*
 * Adds the edges over calls. A call goes on after itself if something returned there. If no return
 * was seen, as with one in a gap, the call is assumed to return unless the code after it is reached
 * otherwise: a call that never returns, such as abort, is followed by other code.
 */
static void add_call_edges(struct slo_graph *graph, const struct slo_transfer *transfers,
			   size_t count, struct edges *edges)
{
	bool *returned = checked_array(graph->n_nodes, sizeof(*returned));
	bool *led_to = checked_array(graph->n_nodes, sizeof(*led_to));

	for (size_t i = 0; i < count; i++)
		if (tf_block(graph->reader, transfers[i].from)->end == TF_END_RETURN)
			returned[slo_first_node(graph, transfers[i].to)] = true;
	for (size_t i = 0; i < edges->count; i++)
		led_to[edges->at[i].to] = true;
	for (uint32_t id = 0; id < tf_n_blocks(graph->reader); id++) {
		const struct tf_block *block = tf_block(graph->reader, id);
		uint32_t behind = block && is_call(block) ? node_behind(graph, block) : SLO_NONE;

		if (behind == SLO_NONE || (led_to[behind] && !returned[behind]))
			continue;
		add_edge(edges, last_node(graph, id), behind);
		graph->nodes[behind].after_call = true;
	}
	free(returned);
	free(led_to);
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void keep_distinct(struct slo_graph *graph, const struct edges *edges)
{
	uint32_t count = 0, node = 0;

	graph->edges = checked_array(edges->count, sizeof(*graph->edges));
	graph->first_edge = checked_array(graph->n_nodes + 1ul, sizeof(*graph->first_edge));
	for (size_t i = 0; i < edges->count; i++) {
		if (i && !compare_edges(&edges->at[i - 1], &edges->at[i]))
			continue;
		while (node < edges->at[i].from)
			graph->first_edge[++node] = count;
		graph->edges[count++] = edges->at[i].to;
	}
	while (node < graph->n_nodes)
		graph->first_edge[++node] = count;
}

static void find_edges(struct slo_graph *graph, const struct slo_transfer *transfers,
		       size_t n_transfers)
{
	struct edges edges = { 0 };

	for (uint32_t id = 0; id < tf_n_blocks(graph->reader); id++) {
		const struct tf_block *block = tf_block(graph->reader, id);

		if (block)
			add_block_edges(graph, block, &edges);
	}
	add_call_edges(graph, transfers, n_transfers, &edges);
	add_transfers(graph, transfers, n_transfers, &edges);
	if (edges.count)
		qsort(edges.at, edges.count, sizeof(*edges.at), compare_edges);
	keep_distinct(graph, &edges);
	free(edges.at);
}

void slo_graph_init(struct slo_graph *graph, const struct tf_reader *reader,
		    const struct slo_transfer *transfers, size_t n_transfers)
{
	struct leaders *leaders = leaders_of(reader, NULL);

	*graph = (struct slo_graph){ .reader = reader };
	find_nodes(graph, leaders);
	cut_blocks(graph, leaders);
	leaders_free(leaders);
	find_edges(graph, transfers, n_transfers);
}

void slo_graph_free(struct slo_graph *graph)
{
	free(graph->nodes);
	free(graph->first_piece);
	free(graph->pieces.at);
	free(graph->first_edge);
	free(graph->edges);
}
