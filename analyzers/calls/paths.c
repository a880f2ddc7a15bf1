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
	struct call_path path;
};

struct merge {
	HASH_TABLE(struct merged_path) paths;
	uint32_t *path_of_node;
};

static void add_costs(uint64_t *sum, const uint64_t *costs)
{
	for (unsigned i = 0; i < N_CALL_COSTS; i++)
		sum[i] += costs[i];
}

static void merge_nodes(struct merge *merge, const struct call_tree *tree,
			const struct call_costs *costs)
{
	for (size_t i = 0; i < tree->nodes.count; i++) {
		const struct call_node *node = &tree->nodes.at[i];
		uint32_t parent = i ? merge->path_of_node[node->key.parent] : CALL_NONE;
		struct merged_path *merged = checked(
			TABLE_PUT(merge->paths, { parent, node->key.function }));

		merged->path.parent = parent;
		merged->path.function = node->key.function;
		merged->path.depth = node->depth;
		merged->path.calls += node->calls;
		merge->path_of_node[i] = (uint32_t)(merged - merge->paths.at);
		if (i < costs->nodes.count)
			add_costs(merged->path.exclusive, costs->nodes.at[i].costs);
	}
}

/* Adds up inclusive costs: a path comes after its parent. */
static void add_inclusive(struct merge *merge)
{
	for (size_t i = merge->paths.count; i-- > 0;) {
		struct call_path *path = &merge->paths.at[i].path;

		add_costs(path->inclusive, path->exclusive);
		if (path->parent != CALL_NONE)
			add_costs(merge->paths.at[path->parent].path.inclusive, path->inclusive);
	}
}

/* ---- their order ------------------------------------------------------------------------- */

struct child {
	const struct call_paths *paths;
	uint32_t number; /* of its merged path */
	uint32_t parent;
	uint32_t function;
	uint64_t cost;
};

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return compare_names(x->paths, x->function, y->function);
}

/* Returns all paths but the first, those of a parent together, and sets first[] by parent. */
static struct child *sort_children(const struct call_paths *p, const struct merge *merge,
				   enum call_cost sort, size_t *first)
{
	size_t n = merge->paths.count - 1;
	struct child *children = checked_array(n, sizeof(*children));

	for (size_t i = 0; i < n; i++) {
		const struct call_path *path = &merge->paths.at[i + 1].path;

		children[i] = (struct child){ p, (uint32_t)(i + 1), path->parent, path->function,
					      path->inclusive[sort] };
		first[path->parent + 1]++;
	}
	for (size_t i = 0; i <= n; i++)
		first[i + 1] += first[i];
	qsort(children, n, sizeof(*children), compare_children);
	return children;
}

/* Puts the paths into the order of a walk through the tree. */
static void order_paths(struct call_paths *p, const struct merge *merge, enum call_cost sort)
{
	size_t n = merge->paths.count, depth = 1;
	size_t *first = checked_array(n + 1, sizeof(*first));
	struct child *children = sort_children(p, merge, sort, first);
	uint32_t *stack = checked_array(n, sizeof(*stack));
	uint32_t *new_number = checked_array(n, sizeof(*new_number));

	p->paths = checked_array(n, sizeof(*p->paths));
	while (depth) {
		uint32_t number = stack[--depth];
		struct call_path *path = &p->paths[p->count];

		*path = merge->paths.at[number].path;
		if (path->parent != CALL_NONE)
			path->parent = new_number[path->parent];
		new_number[number] = (uint32_t)p->count++;
		for (size_t i = first[number + 1]; i-- > first[number];)
			stack[depth++] = children[i].number;
	}
	for (size_t i = 0; i < p->profile->tree.nodes.count; i++)
		p->path_of_node[i] = new_number[p->path_of_node[i]];
	free(first);
	free(children);
	free(stack);
	free(new_number);
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

		while (live && p->paths[stack[live - 1]].depth >= path->depth)
			active[p->paths[stack[--live]].function]--;
		sums->calls += path->calls;
		add_costs(sums->exclusive, path->exclusive);
		if (!active[path->function]++)
			add_costs(sums->inclusive, path->inclusive);
		stack[live++] = (uint32_t)i;
	}
	free(active);
	free(stack);
}

void call_paths_init(struct call_paths *p, struct call_profile *profile, struct symbol_names *names,
		     enum call_cost sort)
{
	struct merge merge = { 0 };

	*p = (struct call_paths){ .profile = profile, .names = names };
	merge.path_of_node = p->path_of_node = checked_array(profile->tree.nodes.count,
							     sizeof(*p->path_of_node));
	merge_nodes(&merge, &profile->tree, &profile->costs);
	add_inclusive(&merge);
	order_paths(p, &merge, sort);
	TABLE_FREE(merge.paths);
	sum_functions(p);
}

void call_paths_free(struct call_paths *p)
{
	free(p->paths);
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
