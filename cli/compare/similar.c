/* SPDX-License-Identifier: MIT */
/*
 * Matching by similar code. Only functions that share a hash of their sketches are compared, so
 * that the time grows with the similar pairs and not with all pairs; a hash that very many
 * functions have says nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/compare/match.h"

/* Functions with fewer shingles are like many others. */
enum { LEAST_SHINGLES = 4, MOST_WITH_HASH = 64 };

double sketch_similarity(const struct compared_function *a, const struct compared_function *b)
{
	unsigned i = 0, j = 0, both = 0, all = 0;

	while (all < SKETCH_HASHES && (i < a->n_sketch || j < b->n_sketch)) {
		bool from_a = j == b->n_sketch || (i < a->n_sketch && a->sketch[i] <= b->sketch[j]);
		bool from_b = i == a->n_sketch || (j < b->n_sketch && b->sketch[j] <= a->sketch[i]);

		both += from_a && from_b;
		i += from_a;
		j += from_b;
		all++;
	}
	return all ? (double)both / all : 0;
}

/* ---- functions by a hash of their sketch ------------------------------------------------- */

struct sketched {
	uint32_t hash, function;
};

struct sketched_functions {
	ARRAY(struct sketched);
};

static int compare_sketched(const void *a, const void *b)
{
	const struct sketched *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static struct sketched_functions list_sketches(const struct matching *m, unsigned side)
{
	const struct result *r = &m->results[side];
	struct sketched_functions list = { 0 };

	for (uint32_t i = 0; i < r->functions.count; i++) {
		const struct compared_function *f = &r->functions.at[i];

		if (m->pair_of[side][i] != COMPARE_NONE || f->n_sketch < LEAST_SHINGLES)
			continue;
		CHECKED_RESERVE(list, list.count + f->n_sketch);
		for (unsigned j = 0; j < f->n_sketch; j++)
			list.at[list.count++] = (struct sketched){ f->sketch[j], i };
	}
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare_sketched);
	return list;
}

/* Returns the end of the functions with the hash at `begin`. */
static size_t end_of(const struct sketched_functions *list, size_t begin)
{
	size_t end = begin;

	while (end < list->count && list->at[end].hash == list->at[begin].hash)
		end++;
	return end;
}

/* ---- similar pairs ----------------------------------------------------------------------- */

struct candidate {
	struct {
		uint32_t a, b;
	} key;
	double similarity;
	bool same_module;
	uint64_t cost;             /* of both, instructions */
	const char *first, *later; /* their names, in alphabetical order */
};

struct candidates {
	/* clang-format off */
	HASH_TABLE(struct candidate);
	/* clang-format on */
};

static void add_candidate(struct candidates *list, const struct matching *m, uint32_t a, uint32_t b)
{
	const struct compared_function *x = &m->results[0].functions.at[a];
	const struct compared_function *y = &m->results[1].functions.at[b];
	struct candidate *candidate;
	bool ordered = strcmp(x->name, y->name) <= 0;

	if (list->count >= most_candidates(m) || TABLE_FIND(*list, { a, b }))
		return;
	candidate = checked(TABLE_PUT(*list, { a, b }));
	candidate->similarity = sketch_similarity(x, y);
	candidate->same_module = x->stable_module == y->stable_module;
	candidate->cost = add_costs(x->exclusive[COST_INSTRUCTIONS],
				    y->exclusive[COST_INSTRUCTIONS]);
	candidate->first = ordered ? x->name : y->name;
	candidate->later = ordered ? y->name : x->name;
}

/* Orders by what does not depend on which trace is the first one. */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order;

	if (x->similarity != y->similarity)
		return x->similarity > y->similarity ? -1 : 1;
	if (x->same_module != y->same_module)
		return x->same_module ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	order = strcmp(x->first, y->first);
	if (!order)
		order = strcmp(x->later, y->later);
	return order ? order : memcmp(&x->key, &y->key, sizeof(x->key));
}

static void find_candidates(struct candidates *list, const struct matching *m)
{
	struct sketched_functions a = list_sketches(m, 0), b = list_sketches(m, 1);
	size_t i = 0, j = 0;

	while (i < a.count && j < b.count) {
		size_t end_a = end_of(&a, i), end_b = end_of(&b, j);

		if (a.at[i].hash < b.at[j].hash) {
			i = end_a;
			continue;
		}
		if (a.at[i].hash > b.at[j].hash) {
			j = end_b;
			continue;
		}
		if (end_a - i <= MOST_WITH_HASH && end_b - j <= MOST_WITH_HASH)
			for (size_t x = i; x < end_a; x++)
				for (size_t y = j; y < end_b; y++)
					add_candidate(list, m, a.at[x].function, b.at[y].function);
		i = end_a;
		j = end_b;
	}
	free(a.at);
	free(b.at);
}

void match_similar(struct matching *m)
{
	struct candidates list = { 0 };

	find_candidates(&list, m);
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare_candidates);
	for (size_t i = 0; i < list.count && list.at[i].similarity >= LEAST_SIMILARITY; i++)
		if (m->pair_of[0][list.at[i].key.a] == COMPARE_NONE &&
		    m->pair_of[1][list.at[i].key.b] == COMPARE_NONE)
			add_pair(m, list.at[i].key.a, list.at[i].key.b, MATCHED_SIMILAR);
	TABLE_FREE(list);
}
