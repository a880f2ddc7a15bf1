/* SPDX-License-Identifier: MIT */
/*
 * Matching by calls, for functions whose code a compiler has changed beyond recognition. Two
 * functions are neighbours if one calls the other. Functions that share most of their matched
 * neighbours match, the ones that share most first; each match is a new neighbour, so that this is
 * repeated.
 */
#include <stdlib.h>

#include "cli/common/checked.h"
#include "cli/compare/match.h"

/*
 * The least number of shared neighbours, their least share, and the least similarity of the code.
 */
enum { LEAST_SHARED = 2, MOST_WITH_NEIGHBOUR = 64, ROUNDS = 8 };
static const double least_share = 0.5, least_similarity = 0.1;

/* A matched neighbour of an unmatched function. */
struct neighbour {
	uint64_t pair; /* times 2; + 1 if it calls the function */
	uint32_t function;
};

struct neighbours {
	ARRAY(struct neighbour);
	uint32_t *counts; /* by function: neighbours */
};

static int compare_neighbours(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;

	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static void add_neighbour(struct neighbours *list, const struct matching *m, unsigned side,
			  uint32_t function, uint32_t other, bool calls)
{
	const uint32_t *pair_of = m->pair_of[side];

	if (pair_of[function] != COMPARE_NONE || pair_of[other] == COMPARE_NONE)
		return;
	CHECKED_RESERVE(*list, list->count + 1);
	list->at[list->count++] = (struct neighbour){ 2 * (uint64_t)pair_of[other] + calls,
						      function };
}

static struct neighbours list_neighbours(const struct matching *m, unsigned side)
{
	const struct result *r = &m->results[side];
	struct neighbours list = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < r->paths.count; i++) {
		const struct compared_path *path = &r->paths.at[i];

		if (path->caller == COMPARE_NONE)
			continue;
		uint32_t caller = r->paths.at[path->caller].function;

		add_neighbour(&list, m, side, path->function, caller, true);
		add_neighbour(&list, m, side, caller, path->function, false);
	}
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare_neighbours);
	list.counts = checked_array(r->functions.count, sizeof(*list.counts));
	for (size_t i = 0; i < list.count; i++) {
		if (kept && !compare_neighbours(&list.at[i], &list.at[kept - 1]))
			continue;
		list.at[kept++] = list.at[i];
		list.counts[list.at[i].function]++;
	}
	list.count = kept;
	return list;
}

/* ---- functions that share neighbours ------------------------------------------------------ */

struct shared {
	struct {
		uint32_t a, b;
	} key;
	uint32_t count;
	double share;      /* of the neighbours of both */
	double similarity; /* of the code */
	uint64_t cost;     /* of both, instructions */
};

struct shared_list {
	/* clang-format off */
	HASH_TABLE(struct shared);
	/* clang-format on */
};

/* Orders by what does not depend on which trace is the first one. */
static int compare_shared(const void *a, const void *b)
{
	const struct shared *x = a, *y = b;

	if (x->share != y->share)
		return x->share > y->share ? -1 : 1;
	if (x->similarity != y->similarity)
		return x->similarity > y->similarity ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->key.a != y->key.a)
		return x->key.a < y->key.a ? -1 : 1;
	return x->key.b < y->key.b ? -1 : 1;
}

static size_t end_of(const struct neighbours *list, size_t begin)
{
	size_t end = begin;

	while (end < list->count && list->at[end].pair == list->at[begin].pair)
		end++;
	return end;
}

static void add_shared(struct shared_list *list, const struct matching *m, uint32_t a, uint32_t b)
{
	struct shared *shared = TABLE_FIND(*list, { a, b });

	if (!shared && list->count < most_candidates(m))
		shared = checked(TABLE_PUT(*list, { a, b }));
	if (shared)
		shared->count++;
}

static void count_shared(struct shared_list *list, const struct matching *m,
			 const struct neighbours *a, const struct neighbours *b)
{
	size_t i = 0, j = 0;

	while (i < a->count && j < b->count) {
		size_t end_a = end_of(a, i), end_b = end_of(b, j);

		if (a->at[i].pair < b->at[j].pair) {
			i = end_a;
			continue;
		}
		if (a->at[i].pair > b->at[j].pair) {
			j = end_b;
			continue;
		}
		if (end_a - i <= MOST_WITH_NEIGHBOUR && end_b - j <= MOST_WITH_NEIGHBOUR)
			for (size_t x = i; x < end_a; x++)
				for (size_t y = j; y < end_b; y++)
					add_shared(list, m, a->at[x].function, b->at[y].function);
		i = end_a;
		j = end_b;
	}
}

static bool match_round(struct matching *m)
{
	struct neighbours a = list_neighbours(m, 0), b = list_neighbours(m, 1);
	struct shared_list list = { 0 };
	bool any = false;

	count_shared(&list, m, &a, &b);
	for (size_t i = 0; i < list.count; i++) {
		struct shared *s = &list.at[i];
		const struct compared_function *x = &m->results[0].functions.at[s->key.a];
		const struct compared_function *y = &m->results[1].functions.at[s->key.b];

		s->share = (double)s->count / (a.counts[s->key.a] + b.counts[s->key.b] - s->count);
		s->similarity = sketch_similarity(x, y);
		s->cost = add_costs(x->exclusive[COST_INSTRUCTIONS],
				    y->exclusive[COST_INSTRUCTIONS]);
	}
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare_shared);
	for (size_t i = 0; i < list.count && list.at[i].share >= least_share; i++) {
		const struct shared *s = &list.at[i];

		if (s->count < LEAST_SHARED || s->similarity < least_similarity ||
		    m->pair_of[0][s->key.a] != COMPARE_NONE ||
		    m->pair_of[1][s->key.b] != COMPARE_NONE)
			continue;
		add_pair(m, s->key.a, s->key.b, MATCHED_CALLS);
		any = true;
	}
	TABLE_FREE(list);
	free(a.at);
	free(a.counts);
	free(b.at);
	free(b.counts);
	return any;
}

void match_neighbours(struct matching *m)
{
	for (unsigned round = 0; round < ROUNDS && match_round(m); round++)
		;
}
