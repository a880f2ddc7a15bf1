/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/read_code.h"

#include "analyzers/program/call_frames.h"
#include "analyzers/slo/non_local_exits.h"
#include "analyzers/slo/transfers.h"
#include "cli/common/checked.h"

/* ---- loops ------------------------------------------------------------------------------- */

/*
 * Returns true if a function begins at a node, to which procedure linkage tables and tail calls
 * through pointers jump.
 */
static bool begins_function(const struct slo_code *code, uint32_t node)
{
	const struct tf_symbol *symbol =
		code->functions.functions[code->functions.of_node[node]].symbol;

	return code->graph.nodes[node].entry ||
	       (symbol && symbol->value == code->graph.nodes[node].offset);
}

static bool find_landings(struct slo_code *code, const struct slo_transfer *transfers, size_t count)
{
	const uint32_t *function = code->functions.of_node;
	bool any = false;

	code->landings = checked_array(code->graph.n_nodes, sizeof(*code->landings));
	for (size_t i = 0; i < count; i++) {
		const struct tf_block *from = tf_block(code->graph.reader, transfers[i].from);
		uint32_t first = slo_first_node(&code->graph, transfers[i].from);
		uint32_t to = slo_first_node(&code->graph, transfers[i].to);
		const struct slo_node *node = &code->graph.nodes[to];

		code->landings[to] |= function[first] != function[to] &&
				      !begins_function(code, to) &&
				      !(from->end == TF_END_RETURN && node->after_call);
		any |= code->landings[to];
	}
	return any;
}

struct edge_lists {
	uint32_t *first; /* by node */
	ARRAY(uint32_t) edges;
};

static void add_edge(struct edge_lists *lists, uint32_t node)
{
	CHECKED_RESERVE(lists->edges, lists->edges.count + 1);
	lists->edges.at[lists->edges.count++] = node;
}

static void add_edges_within(struct edge_lists *lists, const struct slo_code *code, uint32_t node)
{
	const struct slo_graph *graph = &code->graph;
	const uint32_t *function = code->functions.of_node;

	for (uint32_t i = graph->first_edge[node]; i < graph->first_edge[node + 1]; i++)
		if (function[graph->edges[i]] == function[node])
			add_edge(lists, graph->edges[i]);
}

/* Adds the edges of a dispatch: the targets of all jumps that go through it. */
static void add_dispatch(struct edge_lists *lists, const struct slo_code *code, uint32_t dispatch)
{
	const struct slo_functions *f = &code->functions;
	uint32_t function = f->of_node[code->dispatches.jumps[dispatch]];

	for (uint32_t i = f->first_node[function]; i < f->first_node[function + 1]; i++)
		if (code->dispatches.of_node[f->nodes[i]] == dispatch)
			add_edges_within(lists, code, f->nodes[i]);
}

/*
 * Returns the graph of edges within functions, including edges over calls that ended by a non-local
 * exit.
 */
static struct loop_graph within_functions(const struct slo_code *code,
					  const struct slo_non_local_exit *landed,
					  struct edge_lists *lists)
{
	uint32_t n = code->graph.n_nodes, n_dispatches = code->dispatches.count;
	size_t next = 0;

	lists->first = checked_array((size_t)n + n_dispatches + 1, sizeof(*lists->first));
	for (uint32_t node = 0; node < n; node++) {
		uint32_t dispatch = code->dispatches.of_node[node];

		lists->first[node] = lists->edges.count;
		if (dispatch == SLO_NONE)
			add_edges_within(lists, code, node);
		else
			add_edge(lists, n + dispatch);
		for (; next < landed->count && landed->edges[next].from == node; next++)
			add_edge(lists, landed->edges[next].to);
	}
	for (uint32_t i = 0; i < n_dispatches; i++) {
		lists->first[n + i] = lists->edges.count;
		add_dispatch(lists, code, i);
	}
	lists->first[n + n_dispatches] = lists->edges.count;
	return (struct loop_graph){ n + n_dispatches, lists->first, lists->edges.at };
}

/*
 * Finds loops. Functions are entered at their beginnings, and then at any nodes that were not
 * reached.
 */
static void find_loops(struct slo_code *code, const struct slo_non_local_exit *landed)
{
	uint32_t n = code->graph.n_nodes, n_functions = code->functions.count;
	uint32_t *roots = checked_array((size_t)n + n_functions, sizeof(*roots));
	struct edge_lists lists = { 0 };
	struct loop_graph graph = within_functions(code, landed, &lists);

	for (uint32_t i = 0; i < n_functions; i++)
		roots[i] = code->functions.functions[i].entry;
	for (uint32_t node = 0; node < n; node++)
		roots[n_functions + node] = node;
	loop_forest_init(&code->loops, &graph, roots, n_functions + n);
	free(lists.first);
	free(lists.edges.at);
	free(roots);
}

/* ---- ends of blocks ---------------------------------------------------------------------- */

static struct slo_end end_of(const struct slo_code *code, const struct tf_block *block)
{
	uint32_t last = code->graph.pieces.at[code->graph.first_piece[block->id + 1] - 1].node;
	uint32_t dispatch = code->dispatches.of_node[last];
	uint32_t slot;
	enum call_effect effect = call_effect_of(block, &slot);

	if (block->end == TF_END_INDIRECT_JUMP && dispatch != SLO_NONE)
		return (struct slo_end){ SLO_DISPATCHES, dispatch };
	if (effect == CALL_EFFECT_NONE || slot == TF_NONE)
		return (struct slo_end){ SLO_GOES_ON, 0 };
	return (struct slo_end){ effect == CALL_EFFECT_CALL ? SLO_CALLS : SLO_RETURNS, slot };
}

static void find_ends(struct slo_code *code, const struct tf_reader *reader)
{
	code->ends = checked_array(tf_n_blocks(reader), sizeof(*code->ends));
	for (uint32_t id = 0; id < tf_n_blocks(reader); id++)
		if (tf_block(reader, id))
			code->ends[id] = end_of(code, tf_block(reader, id));
}

/*
 * Finds the loops again, with the edges of non-local exits. Loops that are found without these
 * edges are good enough to find the origins of landings.
 */
static int find_loops_over_landings(struct slo_code *code, struct tf_reader *reader, unsigned jobs,
				    struct tf_error *error)
{
	struct slo_non_local_exit landed;
	int status = slo_non_local_exit_list(code, reader, jobs, &landed, error);

	if (!status) {
		loop_forest_free(&code->loops);
		find_loops(code, &landed);
	}
	free(landed.edges);
	return status;
}

int slo_code_init(struct slo_code *code, struct tf_reader *reader, unsigned jobs,
		  struct tf_error *error)
{
	static const struct slo_non_local_exit none = { 0 };
	struct slo_transfer *transfers;
	size_t n_transfers;
	int status = slo_transfers_list(reader, &transfers, &n_transfers, error);
	bool any_lands = false;

	*code = (struct slo_code){ 0 };
	if (!status) {
		slo_graph_init(&code->graph, reader, transfers, n_transfers);
		slo_functions_init(&code->functions, &code->graph);
		slo_dispatches_init(&code->dispatches, &code->graph, &code->functions);
		any_lands = find_landings(code, transfers, n_transfers);
		find_loops(code, &none);
		find_ends(code, reader);
	}
	free(transfers);
	return any_lands ? find_loops_over_landings(code, reader, jobs, error) : status;
}

void slo_code_free(struct slo_code *code)
{
	slo_graph_free(&code->graph);
	slo_functions_free(&code->functions);
	slo_dispatches_free(&code->dispatches);
	loop_forest_free(&code->loops);
	free(code->landings);
	free(code->ends);
}
