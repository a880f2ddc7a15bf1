/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/loops.h"

#include <string.h>

#include "cli/common/checked.h"

struct visit {
	uint32_t node;
	uint32_t edge; /* the next one to follow */
};

struct search {
	const struct loop_graph *graph;
	bool *seen, *is_header, *irreducible; /* by node */
	uint32_t *
		position; /* by node: its place on the current path from the root, from 1; 0: none */
	uint32_t *header; /* by node: the header of the innermost loop around it */
	struct visit *way;
	uint32_t depth; /* length of the current path */
};

/*
 * Records that `node` is in the loop of `header`, which is on the current path of the search, among
 * its other loops.
 */
static void tag(struct search *s, uint32_t node, uint32_t header)
{
	if (header == LOOP_NONE || node == header)
		return;
	while (s->header[node] != LOOP_NONE) {
		uint32_t other = s->header[node];

		if (other == header)
			return;
		if (s->position[other] < s->position[header]) {
			s->header[node] = header;
			node = header;
			header = other;
		} else {
			node = other;
		}
	}
	s->header[node] = header;
}

/*
 * Follows an edge to a node that was searched before. `node` is in the innermost loop of that node
 * whose header is on the current path. The edge enters the loops within it beside their headers, so
 * they are irreducible.
 */
static void enter_searched(struct search *s, uint32_t node, uint32_t successor)
{
	uint32_t header = s->header[successor];

	for (; header != LOOP_NONE; header = s->header[header]) {
		if (s->position[header]) {
			tag(s, node, header);
			return;
		}
		s->irreducible[header] = true;
	}
}

static void go_to(struct search *s, uint32_t node)
{
	s->way[s->depth++] = (struct visit){ node, s->graph->first[node] };
	s->seen[node] = true;
	s->position[node] = s->depth;
}

static void go_back(struct search *s)
{
	uint32_t node = s->way[--s->depth].node;

	s->position[node] = 0;
	if (s->depth)
		tag(s, s->way[s->depth - 1].node, s->header[node]);
}

static void follow(struct search *s, uint32_t node, uint32_t successor)
{
	if (!s->seen[successor]) {
		go_to(s, successor);
	} else if (s->position[successor]) {
		s->is_header[successor] = true;
		tag(s, node, successor);
	} else {
		enter_searched(s, node, successor);
	}
}

static void search_from(struct search *s, uint32_t root)
{
	if (s->seen[root])
		return;
	go_to(s, root);
	while (s->depth) {
		struct visit *here = &s->way[s->depth - 1];

		if (here->edge < s->graph->first[here->node + 1])
			follow(s, here->node, s->graph->edges[here->edge++]);
		else
			go_back(s);
	}
}

static uint32_t depth_of(const struct loop_forest *forest, uint32_t loop)
{
	uint32_t depth = 0;

	while ((loop = forest->loops[loop].parent) != LOOP_NONE)
		depth++;
	return depth;
}

static void gather(struct loop_forest *forest, const struct search *s)
{
	uint32_t n = s->graph->n_nodes, count = 0;

	for (uint32_t node = 0; node < n; node++)
		forest->innermost[node] = s->is_header[node] ? count++ : LOOP_NONE;
	forest->count = count;
	forest->loops = checked_array(count, sizeof(*forest->loops));
	for (uint32_t node = 0; node < n; node++) {
		uint32_t header = s->header[node];
		uint32_t around = header == LOOP_NONE ? LOOP_NONE : forest->innermost[header];

		if (s->is_header[node])
			forest->loops[forest->innermost[node]] = (struct loop){
				.header = node,
				.parent = around,
				.irreducible = s->irreducible[node]
			};
		else
			forest->innermost[node] = around;
	}
	for (uint32_t loop = 0; loop < count; loop++)
		forest->loops[loop].depth = depth_of(forest, loop);
}

void loop_forest_init(struct loop_forest *forest, const struct loop_graph *graph,
		      const uint32_t *roots, uint32_t n_roots)
{
	uint32_t n = graph->n_nodes;
	struct search s = {
		.graph = graph,
		.seen = checked_array(n, sizeof(*s.seen)),
		.is_header = checked_array(n, sizeof(*s.is_header)),
		.irreducible = checked_array(n, sizeof(*s.irreducible)),
		.position = checked_array(n, sizeof(*s.position)),
		.header = checked_array(n, sizeof(*s.header)),
		.way = checked_array(n, sizeof(*s.way)),
	};

	*forest = (struct loop_forest){ .innermost = checked_array(n, sizeof(uint32_t)) };
	memset(s.header, 0xff, n * sizeof(*s.header));
	for (uint32_t i = 0; i < n_roots; i++)
		search_from(&s, roots[i]);
	gather(forest, &s);
	free(s.seen);
	free(s.is_header);
	free(s.irreducible);
	free(s.position);
	free(s.header);
	free(s.way);
}

void loop_forest_free(struct loop_forest *forest)
{
	free(forest->loops);
	free(forest->innermost);
}
