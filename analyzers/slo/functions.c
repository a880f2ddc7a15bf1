/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/functions.h"

#include "analyzers/common/disjoint_sets.h"
#include "analyzers/common/numbering.h"
#include "analyzers/program/whole_symbol.h"
#include "cli/common/checked.h"

/* ---- symbols ----------------------------------------------------------------------------- */

static const struct tf_symbol **symbols_of(const struct slo_graph *graph)
{
	const struct tf_symbol **symbols = checked_array(graph->n_nodes, sizeof(*symbols));
	const struct tf_symbol *symbol, *last = NULL;

	for (uint32_t node = 0; node < graph->n_nodes; node++) {
		const struct slo_node *n = &graph->nodes[node];

		symbol = n->module == TF_NONE ? NULL
					      : tf_symbol(graph->reader, n->module, n->offset);
		symbols[node] = node && symbol == last
					? symbols[node - 1]
					: whole_symbol(graph->reader, n->module, symbol);
		last = symbol;
	}
	return symbols;
}

/* ---- what jumps connect ------------------------------------------------------------------ */

static uint32_t *connect_nodes(const struct slo_graph *graph, const struct tf_symbol **symbols)
{
	uint32_t *sets = disjoint_sets(graph->n_nodes);

	for (uint32_t node = 0; node < graph->n_nodes; node++) {
		if (symbols[node])
			continue;
		for (uint32_t i = graph->first_edge[node]; i < graph->first_edge[node + 1]; i++) {
			uint32_t next = graph->edges[i];

			if (!symbols[next] && !graph->nodes[next].entry)
				disjoint_sets_join(sets, node, next);
		}
	}
	return sets;
}

/* ---- functions --------------------------------------------------------------------------- */

static uint32_t number_function(struct numbering *numbers, const struct tf_symbol *symbol,
				uint32_t first)
{
	const uint64_t key[2] = { (uintptr_t)symbol, symbol ? 0 : first };

	return numbering_add(numbers, key, sizeof(key));
}

static void find_entries(struct slo_functions *f, const struct slo_graph *graph)
{
	for (unsigned called = 1; called + 1; called--)
		for (uint32_t node = 0; node < graph->n_nodes; node++) {
			struct slo_function *function = &f->functions[f->of_node[node]];

			if (function->entry == SLO_NONE && graph->nodes[node].entry >= called)
				function->entry = node;
		}
}

static void list_nodes(struct slo_functions *f, uint32_t n_nodes)
{
	f->first_node = checked_array(f->count + 2ul, sizeof(*f->first_node));
	f->nodes = checked_array(n_nodes, sizeof(*f->nodes));
	for (uint32_t node = 0; node < n_nodes; node++)
		f->first_node[f->of_node[node] + 2]++;
	for (uint32_t i = 2; i < f->count + 2; i++)
		f->first_node[i] += f->first_node[i - 1];
	for (uint32_t node = 0; node < n_nodes; node++)
		f->nodes[f->first_node[f->of_node[node] + 1]++] = node;
}

void slo_functions_init(struct slo_functions *f, const struct slo_graph *graph)
{
	uint32_t n = graph->n_nodes;
	const struct tf_symbol **symbols = symbols_of(graph);
	uint32_t *sets = connect_nodes(graph, symbols);
	struct numbering numbers = { 0 };

	*f = (struct slo_functions){ .of_node = checked_array(n, sizeof(*f->of_node)) };
	for (uint32_t node = 0; node < n; node++)
		f->of_node[node] = number_function(&numbers, symbols[node],
						   disjoint_sets_first(sets, node));
	f->count = numbers.count;
	f->functions = checked_array(f->count, sizeof(*f->functions));
	for (uint32_t node = 0; node < n; node++)
		f->functions[f->of_node[node]] = (struct slo_function){ symbols[node], SLO_NONE };
	find_entries(f, graph);
	list_nodes(f, n);
	numbering_free(&numbers);
	free(symbols);
	free(sets);
}

void slo_functions_free(struct slo_functions *f)
{
	free(f->functions);
	free(f->of_node);
	free(f->first_node);
	free(f->nodes);
}
