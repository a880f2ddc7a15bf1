/* SPDX-License-Identifier: MIT */
#include "cli/compare/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

/* Shorter functions are like many others; of these only the ones that no other is like match. */
enum { LEAST_INSNS = 4 };

const char *matched_by_word(enum matched_by how)
{
	static const char *const words[] = { "",     "name",    "clone", "module",
					     "code", "similar", "calls" };

	return words[how];
}

/* ---- keys -------------------------------------------------------------------------------- */

/* Functions with the same key match. */
struct match_key {
	uint64_t name, code;
};

typedef bool key_of_function(const struct compared_function *f, struct match_key *key);

static uint64_t name_in_module(uint32_t module, uint32_t name)
{
	return (uint64_t)module << 32 | name;
}

static bool key_of_name_and_code(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ name_in_module(f->stable_module, f->name_number), f->code };
	return true;
}

static bool key_of_name(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ name_in_module(f->stable_module, f->name_number), 0 };
	return f->is_named;
}

static bool key_of_clone(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ name_in_module(f->stable_module, f->stable_name), 0 };
	return f->is_named;
}

static bool key_of_name_in_any_module(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ f->stable_name, 0 };
	return f->is_named && f->n_insns;
}

static bool key_of_code_in_module(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ f->stable_module, f->code };
	return f->n_insns >= LEAST_INSNS;
}

static bool key_of_code(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ 0, f->code };
	return f->n_insns >= LEAST_INSNS;
}

static bool key_of_short_code(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ f->stable_module, f->code };
	return f->n_insns;
}

/* ---- matching by a key ------------------------------------------------------------------- */

struct keyed_function {
	struct match_key key;
	unsigned side;
	uint32_t index;
	const struct compared_function *function;
};

struct keyed_functions {
	ARRAY(struct keyed_function);
};

static int compare_costs(const struct compared_function *a, const struct compared_function *b)
{
	uint64_t x = a->exclusive[COST_INSTRUCTIONS], y = b->exclusive[COST_INSTRUCTIONS];

	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Orders by key, then side, then costs. */
static int compare_keyed(const void *a, const void *b)
{
	const struct keyed_function *x = a, *y = b;
	int order = memcmp(&x->key, &y->key, sizeof(x->key));

	if (order)
		return order;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	order = compare_costs(x->function, y->function);
	return order ? order : x->index < y->index ? -1 : 1;
}

static void add_keyed(struct keyed_functions *list, const struct matching *m, unsigned side,
		      key_of_function *key_of)
{
	const struct result *r = &m->results[side];

	for (uint32_t i = 0; i < r->functions.count; i++) {
		struct keyed_function keyed = { .side = side,
						.index = i,
						.function = &r->functions.at[i] };

		if (m->pair_of[side][i] != COMPARE_NONE || !key_of(keyed.function, &keyed.key))
			continue;
		CHECKED_RESERVE(*list, list->count + 1);
		list->at[list->count++] = keyed;
	}
}

/* Matches those of a key, the first one of each side with each other and so on. */
static void match_group(struct matching *m, const struct keyed_function *group, size_t count,
			enum matched_by how)
{
	size_t n_first = 0;

	while (n_first < count && group[n_first].side == 0)
		n_first++;
	for (size_t i = 0; i < n_first && n_first + i < count; i++)
		add_pair(m, group[i].index, group[n_first + i].index, how);
}

/* only_one: a key matches only if one function of each trace has it. */
static void match_by(struct matching *m, key_of_function *key_of, enum matched_by how,
		     bool only_one)
{
	struct keyed_functions list = { 0 };

	add_keyed(&list, m, 0, key_of);
	add_keyed(&list, m, 1, key_of);
	if (list.count)
		qsort(list.at, list.count, sizeof(*list.at), compare_keyed);
	for (size_t begin = 0, end; begin < list.count; begin = end) {
		end = begin + 1;
		while (end < list.count &&
		       !memcmp(&list.at[end].key, &list.at[begin].key, sizeof(list.at->key)))
			end++;
		if (!only_one || end - begin == 2)
			match_group(m, list.at + begin, end - begin, how);
	}
	free(list.at);
}

/* ------------------------------------------------------------------------------------------ */

static double similarity_of(const struct matching *m, uint32_t a, uint32_t b)
{
	const struct compared_function *x = &m->results[0].functions.at[a];
	const struct compared_function *y = &m->results[1].functions.at[b];

	if (!x->n_insns || !y->n_insns)
		return NAN;
	return x->code == y->code ? 1 : sketch_similarity(x, y);
}

void add_pair(struct matching *m, uint32_t a, uint32_t b, enum matched_by how)
{
	struct function_pair pair = { { a, b }, how, NAN };

	if (how != MATCHED_NOT)
		pair.similarity = similarity_of(m, a, b);
	if (a != COMPARE_NONE)
		m->pair_of[0][a] = (uint32_t)m->pairs.count;
	if (b != COMPARE_NONE)
		m->pair_of[1][b] = (uint32_t)m->pairs.count;
	CHECKED_RESERVE(m->pairs, m->pairs.count + 1);
	m->pairs.at[m->pairs.count++] = pair;
}

size_t most_candidates(const struct matching *m)
{
	enum { FOR_EACH = 64, LEAST = 4096 };

	return FOR_EACH * (m->results[0].functions.count + m->results[1].functions.count) + LEAST;
}

/* Returns whether both are the same file, so that a place in one is that in the other. */
static bool key_of_place(const struct compared_function *f, struct match_key *key)
{
	*key = (struct match_key){ name_in_module(f->stable_module, f->name_number), f->build_id };
	return f->build_id != COMPARE_NONE;
}

void match_functions(struct matching *m, const struct result *results)
{
	*m = (struct matching){ .results = results };
	for (unsigned side = 0; side < 2; side++) {
		size_t n = results[side].functions.count;

		m->pair_of[side] = checked_array(n, sizeof(*m->pair_of[side]));
		memset(m->pair_of[side], 0xff, n * sizeof(*m->pair_of[side]));
	}
	match_by(m, key_of_name_and_code, MATCHED_NAME, false);
	match_by(m, key_of_place, MATCHED_NAME, false);
	match_by(m, key_of_name, MATCHED_NAME, false);
	match_by(m, key_of_clone, MATCHED_CLONE, false);
	match_by(m, key_of_name_in_any_module, MATCHED_MODULE, false);
	match_by(m, key_of_code_in_module, MATCHED_CODE, false);
	match_by(m, key_of_code, MATCHED_CODE, false);
	match_by(m, key_of_short_code, MATCHED_CODE, true);
	match_similar(m);
	match_neighbours(m);
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t i = 0; i < results[side].functions.count; i++)
			if (m->pair_of[side][i] == COMPARE_NONE)
				add_pair(m, side ? COMPARE_NONE : i, side ? i : COMPARE_NONE,
					 MATCHED_NOT);
}

void matching_free(struct matching *m)
{
	free(m->pairs.at);
	free(m->pair_of[0]);
	free(m->pair_of[1]);
}

const struct compared_function *function_of_pair(const struct matching *m, uint32_t pair)
{
	const struct function_pair *p = &m->pairs.at[pair];
	unsigned side = p->of[1] != COMPARE_NONE;

	return &m->results[side].functions.at[p->of[side]];
}
