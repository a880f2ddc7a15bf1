/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/paths.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"

/* ---- names ------------------------------------------------------------------------------- */

static const char *name_of(const struct call_profile *profile, struct symbol_names *names,
			   uint32_t function)
{
	const struct call_function_key *key = &profile->functions.functions.at[function].key;

	if (key->label)
		return key->label;
	return key->symbol ? symbol_name(names, key->symbol) : "[unknown]";
}

const char *call_function_name(const struct call_paths *p, uint32_t function)
{
	return name_of(p->profile, p->names, function);
}

const char *call_function_module(const struct call_paths *p, uint32_t function)
{
	const struct call_function_key *key = &p->profile->functions.functions.at[function].key;
	const struct tf_module *module = tf_module(p->profile->reader, (uint32_t)key->module);

	return module ? base_name(module->path) : "[no file]";
}

/* Returns the names of `depth` functions, the last one first, as a path. Free it. */
static char *join_names(const struct call_profile *profile, struct symbol_names *names,
			const uint32_t *functions, uint32_t depth)
{
	char *text;
	size_t size;
	FILE *out = checked(open_memstream(&text, &size));

	for (uint32_t i = depth; i-- > 0;)
		fprintf(out, i + 1 < depth ? ";%s" : "%s", name_of(profile, names, functions[i]));
	if (fclose(out))
		out_of_memory();
	return text;
}

char *call_path_text(const struct call_paths *paths, uint32_t path)
{
	uint32_t depth = paths->paths[path].depth, n = 0;
	uint32_t *functions = checked_array(depth, sizeof(*functions));
	char *text;

	for (; n < depth; path = paths->paths[path].parent)
		functions[n++] = paths->paths[path].function;
	text = join_names(paths->profile, paths->names, functions, depth);
	free(functions);
	return text;
}

char *call_node_text(const struct call_profile *profile, struct symbol_names *names, uint32_t node)
{
	const struct call_node *nodes = profile->tree.nodes.at;
	uint32_t depth = nodes[node].depth, n = 0;
	uint32_t *functions = checked_array(depth, sizeof(*functions));
	char *text;

	for (; n < depth; node = nodes[node].key.parent)
		functions[n++] = nodes[node].key.function;
	text = join_names(profile, names, functions, depth);
	free(functions);
	return text;
}

/* Compares functions by module, then by name. */
static int compare_names(const struct call_paths *p, uint32_t a, uint32_t b)
{
	int order = strcmp(call_function_module(p, a), call_function_module(p, b));

	if (!order)
		order = strcmp(call_function_name(p, a), call_function_name(p, b));
	return order ? order : a < b ? -1 : a > b;
}

/* ---- paths of the tree without places ---------------------------------------------------- */

struct merged_path {
	struct {
		uint32_t parent, function;
	} key;
};

/* Paths in the order in which the tree has them: a path comes after its parent. */
struct merge {
	HASH_TABLE(struct merged_path) paths;
	struct call_sums *exclusive; /* by path */
	uint64_t *inclusive;         /* by path: the cost that orders them */
};

static void add_costs(uint64_t *sum, const uint64_t *costs)
{
	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		sum[i] += costs[i];
}

static void number_paths(struct merge *merge, const struct call_tree *tree, uint32_t *path_of_node)
{
	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct call_node_key *key = &tree->nodes.at[i].key;
		uint32_t parent = i ? path_of_node[key->parent] : CALL_NONE;
		const struct merged_path *merged = checked(
			TABLE_PUT(merge->paths, { parent, key->function }));

		path_of_node[i] = (uint32_t)(merged - merge->paths.at);
	}
	hash_index_free(&merge->paths.any.index);
}

/* Returns the costs by node, with room for one element more. */
static struct call_sums *take_costs(struct call_costs *costs, size_t n_nodes, bool keeps_nodes)
{
	struct call_sums *sums;

	CHECKED_RESERVE(costs->nodes, n_nodes + 1);
	sums = costs->nodes.at;
	if (keeps_nodes) {
		sums = checked_array(n_nodes + 1, sizeof(*sums));
		memcpy(sums, costs->nodes.at, costs->nodes.count * sizeof(*sums));
	} else {
		costs->nodes.at = NULL;
		costs->nodes.count = costs->nodes.capacity = 0;
	}
	return sums;
}

/* Adds the costs of nodes up by path, in place: the number of a path is not above its nodes'. */
static void merge_costs(struct call_sums *sums, const uint32_t *path_of_node, size_t n_nodes)
{
	for (size_t i = 0; i < n_nodes; i++) {
		struct call_sums node = sums[i];

		memset(&sums[i], 0, sizeof(sums[i]));
		add_costs(sums[path_of_node[i]].costs, node.costs);
	}
}

static void add_inclusive(struct merge *merge, enum call_cost sort)
{
	merge->inclusive = checked_array(merge->paths.count, sizeof(*merge->inclusive));
	for (size_t i = merge->paths.count; i-- > 0;) {
		merge->inclusive[i] += merge->exclusive[i].costs[sort];
		if (i)
			merge->inclusive[merge->paths.at[i].key.parent] += merge->inclusive[i];
	}
}

/* ---- their order ------------------------------------------------------------------------- */

struct order {
	const struct call_paths *paths;
	const struct merge *merge;
};

static int compare_children(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t x_cost = o->merge->inclusive[x], y_cost = o->merge->inclusive[y];

	if (x_cost != y_cost)
		return x_cost > y_cost ? -1 : 1;
	return compare_names(o->paths, o->merge->paths.at[x].key.function,
			     o->merge->paths.at[y].key.function);
}

/*
 * Returns all paths but the first, those of a parent together. first: by path, where those below it
 * begin; has room for two numbers more than there are paths.
 */
static uint32_t *sort_children(const struct call_paths *p, const struct merge *merge,
			       uint32_t *first)
{
	size_t n = merge->paths.count;
	uint32_t *children = checked_array(n, sizeof(*children));
	struct order order = { p, merge };

	for (size_t i = 1; i < n; i++)
		first[merge->paths.at[i].key.parent + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < n; i++)
		children[first[merge->paths.at[i].key.parent + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		qsort_r(children + first[i], first[i + 1] - first[i], sizeof(*children),
			compare_children, &order);
	return children;
}

/* Puts the paths into the order of a walk through the tree. Returns their new numbers. */
static uint32_t *order_paths(struct call_paths *p, const struct merge *merge)
{
	size_t n = merge->paths.count, depth = 1;
	uint32_t *first = checked_array(n + 2, sizeof(*first));
	uint32_t *children = sort_children(p, merge, first);
	uint32_t *stack = checked_array(n, sizeof(*stack));
	uint32_t *new_number = checked_array(n, sizeof(*new_number));

	p->paths = checked_array(n, sizeof(*p->paths));
	while (depth) {
		uint32_t number = stack[--depth];
		uint32_t parent = number ? new_number[merge->paths.at[number].key.parent]
					 : CALL_NONE;

		p->paths[p->count] = (struct call_path){
			.parent = parent,
			.function = merge->paths.at[number].key.function,
			.depth = number ? p->paths[parent].depth + 1 : 0,
		};
		new_number[number] = (uint32_t)p->count++;
		for (size_t i = first[number + 1]; i-- > first[number];)
			stack[depth++] = children[i];
	}
	free(first);
	free(children);
	free(stack);
	return new_number;
}

static void count_calls(struct call_paths *p, const struct call_tree *tree,
			const uint32_t *new_number)
{
	for (size_t i = 0; i < tree->nodes.count; i++) {
		p->path_of_node[i] = new_number[p->path_of_node[i]];
		p->paths[p->path_of_node[i]].calls += tree->nodes.at[i].calls;
	}
}

static void find_ends(struct call_paths *p)
{
	for (size_t i = p->count; i-- > 0;) {
		struct call_path *path = &p->paths[i];

		if (path->end <= i)
			path->end = (uint32_t)i + 1;
		if (i && p->paths[path->parent].end < path->end)
			p->paths[path->parent].end = path->end;
	}
}

/* Moves each element to its new number, along the cycles of the permutation. */
static void permute(struct call_sums *sums, uint32_t *new_number, size_t count)
{
	for (size_t i = 0; i < count; i++)
		while (new_number[i] != i) {
			uint32_t to = new_number[i];
			struct call_sums moved = sums[to];

			sums[to] = sums[i];
			sums[i] = moved;
			new_number[i] = new_number[to];
			new_number[to] = to;
		}
}

/* Replaces the costs of each path by those of the paths before it. */
static void sum_up(struct call_sums *sums, size_t count)
{
	struct call_sums sum = { 0 };

	for (size_t i = 0; i <= count; i++) {
		struct call_sums own = sums[i];

		sums[i] = sum;
		add_costs(sum.costs, own.costs);
	}
}

/* ---- functions --------------------------------------------------------------------------- */

/* Adds up costs by function. In the order of a walk, the paths above one are a stack. */
static void sum_functions(struct call_paths *p)
{
	size_t n = p->profile->functions.functions.count, live = 0;
	uint32_t *active = checked_array(n, sizeof(*active)); /* by function: paths on the stack */
	uint32_t *stack = checked_array(p->count, sizeof(*stack));

	p->functions = checked_array(n, sizeof(*p->functions));
	for (size_t i = 0; i < n; i++)
		p->functions[i].function = (uint32_t)i;
	for (size_t i = 1; i < p->count; i++) {
		const struct call_path *path = &p->paths[i];
		struct call_function_sums *sums = &p->functions[path->function];
		struct call_sums exclusive = call_path_exclusive(p, i);
		struct call_sums inclusive = call_path_inclusive(p, i);

		while (live && p->paths[stack[live - 1]].depth >= path->depth)
			active[p->paths[stack[--live]].function]--;
		sums->calls += path->calls;
		add_costs(sums->exclusive, exclusive.costs);
		if (!active[path->function]++)
			add_costs(sums->inclusive, inclusive.costs);
		stack[live++] = (uint32_t)i;
	}
	free(active);
	free(stack);
}

void call_paths_init(struct call_paths *p, struct call_profile *profile, struct symbol_names *names,
		     enum call_cost sort, bool keeps_nodes)
{
	size_t n_nodes = profile->tree.nodes.count;
	struct merge merge = { 0 };
	uint32_t *new_number;

	*p = (struct call_paths){ .profile = profile, .names = names };
	p->path_of_node = checked_array(n_nodes, sizeof(*p->path_of_node));
	number_paths(&merge, &profile->tree, p->path_of_node);
	merge.exclusive = take_costs(&profile->costs, n_nodes, keeps_nodes);
	merge_costs(merge.exclusive, p->path_of_node, n_nodes);
	add_inclusive(&merge, sort);
	new_number = order_paths(p, &merge);
	TABLE_FREE(merge.paths);
	free(merge.inclusive);
	count_calls(p, &profile->tree, new_number);
	find_ends(p);
	permute(merge.exclusive, new_number, p->count);
	free(new_number);
	sum_up(merge.exclusive, p->count);
	p->before = merge.exclusive;
	sum_functions(p);
}

void call_paths_free(struct call_paths *p)
{
	free(p->paths);
	free(p->before);
	free(p->path_of_node);
	free(p->functions);
}

struct sorted_function {
	const struct call_paths *paths;
	uint32_t function;
	uint64_t cost;
};

static int compare_functions(const void *a, const void *b)
{
	const struct sorted_function *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return compare_names(x->paths, x->function, y->function);
}

uint32_t *call_functions_sorted(const struct call_paths *p, enum call_cost sort, size_t *count)
{
	size_t n = p->profile->functions.functions.count;
	struct sorted_function *sorted = checked_array(n, sizeof(*sorted));
	uint32_t *numbers = checked_array(n, sizeof(*numbers));

	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (p->functions[i].inclusive[CALL_INSTRUCTIONS])
			sorted[(*count)++] = (struct sorted_function){
				p, (uint32_t)i, p->functions[i].exclusive[sort]
			};
	qsort(sorted, *count, sizeof(*sorted), compare_functions);
	for (size_t i = 0; i < *count; i++)
		numbers[i] = sorted[i].function;
	free(sorted);
	return numbers;
}
