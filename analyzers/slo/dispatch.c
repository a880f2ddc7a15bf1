/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/dispatch.h"

#include "analyzers/common/disjoint_sets.h"
#include "cli/common/checked.h"

static bool *jumping_nodes(const struct slo_graph *graph)
{
	bool *jumps = checked_array(graph->n_nodes, sizeof(*jumps));

	for (uint32_t id = 0; id < tf_n_blocks(graph->reader); id++) {
		const struct tf_block *block = tf_block(graph->reader, id);

		if (block && block->end == TF_END_INDIRECT_JUMP)
			jumps[graph->pieces.at[graph->first_piece[id + 1] - 1].node] = true;
	}
	return jumps;
}

/* Joins jumps of a function that have a target in common. */
static uint32_t *join(const struct slo_graph *graph, const struct slo_functions *functions,
		      const bool *jumps)
{
	uint32_t *sets = disjoint_sets(graph->n_nodes);
	uint32_t *jump_to = checked_array(graph->n_nodes, sizeof(*jump_to)); /* plus 1 */

	for (uint32_t node = 0; node < graph->n_nodes; node++) {
		if (!jumps[node])
			continue;
		for (uint32_t i = graph->first_edge[node]; i < graph->first_edge[node + 1]; i++) {
			uint32_t to = graph->edges[i];

			if (functions->of_node[to] != functions->of_node[node])
				continue;
			if (jump_to[to])
				disjoint_sets_join(sets, node, jump_to[to] - 1);
			jump_to[to] = node + 1;
		}
	}
	free(jump_to);
	return sets;
}

void slo_dispatches_init(struct slo_dispatches *d, const struct slo_graph *graph,
			 const struct slo_functions *functions)
{
	bool *jumps = jumping_nodes(graph);
	uint32_t *sets = join(graph, functions, jumps);

	*d = (struct slo_dispatches){
		.jumps = checked_array(graph->n_nodes, sizeof(*d->jumps)),
		.of_node = checked_array(graph->n_nodes, sizeof(*d->of_node)),
	};
	for (uint32_t node = 0; node < graph->n_nodes; node++)
		d->of_node[node] = SLO_NONE;
	for (uint32_t node = 0; node < graph->n_nodes; node++) {
		uint32_t first = disjoint_sets_first(sets, node);

		if (first == node)
			continue;
		if (d->of_node[first] == SLO_NONE) {
			d->jumps[d->count] = first;
			d->of_node[first] = d->count++;
		}
		d->of_node[node] = d->of_node[first];
	}
	free(sets);
	free(jumps);
}

void slo_dispatches_free(struct slo_dispatches *d)
{
	free(d->jumps);
	free(d->of_node);
}
