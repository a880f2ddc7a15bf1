/* SPDX-License-Identifier: MIT */
/* Loop forests against natural loops, found through dominators the slow way. */
#include <string.h>

#include "analyzers/slo/loops.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { MOST_NODES = 24, MOST_EDGES = MOST_NODES * MOST_NODES };

static uint64_t random_state = 1;

/* ---- graphs ------------------------------------------------------------------------------ */

struct matrix {
	unsigned n;
	bool edge[MOST_NODES][MOST_NODES];
};

static uint32_t first[MOST_NODES + 1], edges[MOST_EDGES];

static struct loop_graph lists_of(const struct matrix *m)
{
	uint32_t count = 0;

	for (unsigned from = 0; from < m->n; from++) {
		first[from] = count;
		for (unsigned to = 0; to < m->n; to++)
			if (m->edge[from][to])
				edges[count++] = to;
	}
	first[m->n] = count;
	return (struct loop_graph){ m->n, first, edges };
}

static void mark_reached(const struct matrix *m, unsigned from, unsigned without, bool *reached)
{
	if (from == without || reached[from])
		return;
	reached[from] = true;
	for (unsigned to = 0; to < m->n; to++)
		if (m->edge[from][to])
			mark_reached(m, to, without, reached);
}

/* Computes dominates[a][b]: every way from node 0 to b passes a. */
static void find_dominators(const struct matrix *m, bool dominates[MOST_NODES][MOST_NODES])
{
	bool all[MOST_NODES] = { 0 };

	mark_reached(m, 0, MOST_NODES, all);
	for (unsigned a = 0; a < m->n; a++) {
		bool reached[MOST_NODES] = { 0 };

		mark_reached(m, 0, a, reached);
		for (unsigned b = 0; b < m->n; b++)
			dominates[a][b] = all[b] && !reached[b];
	}
}

/* Marks the nodes that lead to `back` without passing the header. */
static void mark_body(const struct matrix *m, unsigned back, unsigned header, bool *body)
{
	if (body[back])
		return;
	body[back] = true;
	if (back == header)
		return;
	for (unsigned from = 0; from < m->n; from++)
		if (m->edge[from][back])
			mark_body(m, from, header, body);
}

/* Returns whether each cycle is entered at a node that dominates it, that is, whether no cycle is
 * left without the back edges. */
static bool is_reducible(const struct matrix *m, bool dominates[MOST_NODES][MOST_NODES])
{
	bool closure[MOST_NODES][MOST_NODES] = { { 0 } };

	for (unsigned a = 0; a < m->n; a++)
		for (unsigned b = 0; b < m->n; b++)
			closure[a][b] = m->edge[a][b] && !dominates[b][a];
	for (unsigned k = 0; k < m->n; k++)
		for (unsigned a = 0; a < m->n; a++)
			for (unsigned b = 0; b < m->n; b++)
				closure[a][b] |= closure[a][k] && closure[k][b];
	for (unsigned a = 0; a < m->n; a++)
		if (closure[a][a])
			return false;
	return true;
}

static struct matrix random_graph(void)
{
	struct matrix m = { .n = 2 + random_below(&random_state, MOST_NODES - 2) };

	for (unsigned node = 1; node < m.n; node++)
		m.edge[random_below(&random_state, node)][node] = true;
	for (unsigned i = random_below(&random_state, m.n); i > 0; i--)
		m.edge[random_below(&random_state, m.n)][random_below(&random_state, m.n)] = true;
	return m;
}

/* ---- tests ------------------------------------------------------------------------------- */

static bool forest_says(const struct loop_forest *forest, unsigned node, unsigned header)
{
	uint32_t loop = forest->innermost[node];

	while (loop != LOOP_NONE && forest->loops[loop].header != header)
		loop = forest->loops[loop].parent;
	return loop != LOOP_NONE;
}

static void check_natural_loops(const struct matrix *m, const struct loop_forest *forest,
				bool dominates[MOST_NODES][MOST_NODES])
{
	for (unsigned header = 0; header < m->n; header++) {
		bool body[MOST_NODES] = { 0 };

		for (unsigned back = 0; back < m->n; back++)
			if (m->edge[back][header] && dominates[header][back])
				mark_body(m, back, header, body);
		for (unsigned node = 0; node < m->n; node++)
			ck_assert_int_eq(forest_says(forest, node, header), body[node]);
	}
}

START_TEST(natural_loops)
{
	unsigned reducible = 0, nested = 0;

	for (unsigned i = 0; i < 4000; i++) {
		bool dominates[MOST_NODES][MOST_NODES];
		struct matrix m = random_graph();
		struct loop_graph graph = lists_of(&m);
		struct loop_forest forest;

		find_dominators(&m, dominates);
		loop_forest_init(&forest, &graph, (uint32_t[]){ 0 }, 1);
		for (uint32_t k = 0; k < forest.count; k++)
			nested += forest.loops[k].depth > 1;
		if (is_reducible(&m, dominates)) {
			reducible++;
			check_natural_loops(&m, &forest, dominates);
			for (uint32_t k = 0; k < forest.count; k++)
				ck_assert(!forest.loops[k].irreducible);
		}
		loop_forest_free(&forest);
	}
	ck_assert_uint_gt(reducible, 500);
	ck_assert_uint_gt(nested, 100);
}
END_TEST

/* 0 goes to 1 and to 2, which go to each other. */
START_TEST(two_entries)
{
	struct matrix m = { .n = 4 };
	struct loop_forest forest;

	m.edge[0][1] = m.edge[0][2] = m.edge[1][2] = m.edge[2][1] = m.edge[2][3] = true;
	struct loop_graph graph = lists_of(&m);

	loop_forest_init(&forest, &graph, (uint32_t[]){ 0 }, 1);
	ck_assert_uint_eq(forest.count, 1);
	ck_assert_uint_eq(forest.loops[0].header, 1);
	ck_assert(forest.loops[0].irreducible);
	ck_assert_uint_eq(forest.innermost[0], LOOP_NONE);
	ck_assert_uint_eq(forest.innermost[2], 0);
	ck_assert_uint_eq(forest.innermost[3], LOOP_NONE);
	loop_forest_free(&forest);
}
END_TEST

/* Nodes of a second root, which leads into what was searched from the first. */
START_TEST(several_roots)
{
	struct matrix m = { .n = 4 };
	struct loop_forest forest;

	m.edge[0][0] = m.edge[1][2] = m.edge[2][1] = m.edge[2][0] = true;
	struct loop_graph graph = lists_of(&m);

	loop_forest_init(&forest, &graph, (uint32_t[]){ 0, 1 }, 2);
	ck_assert_uint_eq(forest.count, 2);
	ck_assert_uint_eq(forest.innermost[0], 0);
	ck_assert_uint_eq(forest.innermost[1], 1);
	ck_assert_uint_eq(forest.innermost[2], 1);
	ck_assert_uint_eq(forest.innermost[3], LOOP_NONE);
	loop_forest_free(&forest);
}
END_TEST

/* A path as long as a large program's code must not be followed by recursion. */
START_TEST(long_way)
{
	enum { LENGTH = 1000000 };
	uint32_t *begins = calloc(LENGTH + 1, sizeof(*begins));
	uint32_t *to = calloc(LENGTH, sizeof(*to));
	struct loop_graph graph = { LENGTH, begins, to };
	struct loop_forest forest;

	for (uint32_t i = 0; i < LENGTH; i++) {
		begins[i + 1] = i + 1;
		to[i] = (i + 1) % LENGTH;
	}
	loop_forest_init(&forest, &graph, (uint32_t[]){ 0 }, 1);
	ck_assert_uint_eq(forest.count, 1);
	ck_assert_uint_eq(forest.innermost[LENGTH / 2], 0);
	loop_forest_free(&forest);
	free(begins);
	free(to);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("loops");
	TCase *tests = tcase_create("loops");

	tcase_add_test(tests, natural_loops);
	tcase_add_test(tests, two_entries);
	tcase_add_test(tests, several_roots);
	tcase_add_test(tests, long_way);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
