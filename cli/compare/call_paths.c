/* SPDX-License-Identifier: MIT */
#include "cli/compare/call_paths.h"

#include <stdlib.h>

#include "cli/common/checked.h"

static void add_all(uint64_t *sums, const uint64_t *costs)
{
	for (unsigned i = 0; i < N_COSTS; i++)
		sums[i] = add_costs(sums[i], costs[i]);
}

static void add_paths(struct path_pairs *paths, const struct matching *m, unsigned side)
{
	const struct result *r = &m->results[side];
	uint32_t *number = checked_array(r->paths.count, sizeof(*number));

	for (size_t i = 0; i < r->paths.count; i++) {
		const struct compared_path *path = &r->paths.at[i];
		uint32_t caller = path->caller == COMPARE_NONE ? COMPARE_NONE
							       : number[path->caller];
		struct path_pair *pair = checked(
			TABLE_PUT(*paths, { caller, m->pair_of[side][path->function] }));

		number[i] = (uint32_t)(pair - paths->at);
		pair->depth = caller == COMPARE_NONE ? 1 : paths->at[caller].depth + 1;
		pair->has[side] = true;
		pair->calls[side] = add_costs(pair->calls[side], path->calls);
		add_all(pair->exclusive[side], path->exclusive);
		add_all(pair->inclusive[side], path->inclusive);
	}
	free(number);
}

struct path_pairs join_paths(const struct matching *m)
{
	struct path_pairs paths = { 0 };

	add_paths(&paths, m, 0);
	add_paths(&paths, m, 1);
	return paths;
}

uint64_t path_change(const struct path_pair *path, const struct metric *metric, bool inclusive)
{
	uint64_t value[2];

	for (unsigned side = 0; side < 2; side++)
		value[side] = metric_of(metric,
					inclusive ? path->inclusive[side] : path->exclusive[side],
					path->calls[side]);
	return value[0] > value[1] ? value[0] - value[1] : value[1] - value[0];
}

/* ---- order ------------------------------------------------------------------------------- */

struct sorted_path {
	uint32_t caller, number;
	uint64_t change, cost;
};

/* Orders by caller, the paths without one first. */
static int compare_paths(const void *a, const void *b)
{
	const struct sorted_path *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller + 1 < y->caller + 1 ? -1 : 1;
	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static struct sorted_path *sort_paths(const struct path_pairs *paths, const struct metric *metric,
				      size_t *first)
{
	struct sorted_path *sorted = checked_array(paths->count, sizeof(*sorted));

	for (uint32_t i = 0; i < paths->count; i++) {
		const struct path_pair *path = &paths->at[i];

		sorted[i] = (struct sorted_path){ path->key.caller, i,
						  path_change(path, metric, true),
						  path->inclusive[0][COST_INSTRUCTIONS] +
							  path->inclusive[1][COST_INSTRUCTIONS] };
		first[path->key.caller + 1 + 1]++;
	}
	for (size_t i = 0; i <= paths->count; i++)
		first[i + 1] += first[i];
	if (paths->count)
		qsort(sorted, paths->count, sizeof(*sorted), compare_paths);
	return sorted;
}

uint32_t *paths_by_change(const struct path_pairs *paths, const struct metric *metric)
{
	size_t n = paths->count, depth = 0, done = 0;
	size_t *first = checked_array(n + 2, sizeof(*first)); /* by caller + 1 */
	struct sorted_path *sorted = sort_paths(paths, metric, first);
	uint32_t *order = checked_array(n, sizeof(*order));
	uint32_t *stack = checked_array(n, sizeof(*stack));

	for (size_t i = first[1]; i-- > first[0];)
		stack[depth++] = sorted[i].number;
	while (depth) {
		uint32_t path = stack[--depth];

		order[done++] = path;
		for (size_t i = first[path + 2]; i-- > first[path + 1];)
			stack[depth++] = sorted[i].number;
	}
	free(stack);
	free(sorted);
	free(first);
	return order;
}
