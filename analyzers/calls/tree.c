/* SPDX-License-Identifier: MIT */
#include "analyzers/calls/tree.h"

#include "cli/common/checked.h"

enum { MOST_NODES = 8 << 20 };

static uint32_t node_of(struct call_tree *tree, uint32_t parent, uint32_t site, uint32_t function)
{
	size_t count = tree->nodes.count;
	struct call_node *node = checked(TABLE_PUT(tree->nodes, { parent, site, function }));

	if (tree->nodes.count > count)
		node->depth = parent >= CALL_OPEN ? 0 : tree->nodes.at[parent].depth + 1;
	return (uint32_t)(node - tree->nodes.at);
}

void call_tree_init(struct call_tree *tree, uint32_t others_function)
{
	*tree = (struct call_tree){
		.most = MOST_NODES,
		.others = CALL_NONE,
		.others_function = others_function,
	};
	node_of(tree, CALL_NONE, CALL_NONE, CALL_NONE);
}

void call_tree_free(struct call_tree *tree)
{
	TABLE_FREE(tree->nodes);
}

/* Returns the node of a function on the path that ends at a node, or CALL_NONE. */
static uint32_t on_path(const struct call_tree *tree, uint32_t node, uint32_t function)
{
	while (node != CALL_NONE && tree->nodes.at[node].key.function != function)
		node = tree->nodes.at[node].key.parent;
	return node;
}

/* Returns the node of a child, which may be a new one. */
static uint32_t find_child(struct call_tree *tree, uint32_t parent, uint32_t site,
			   uint32_t function)
{
	const struct call_node *node = TABLE_FIND(tree->nodes, { parent, site, function });

	if (node)
		return (uint32_t)(node - tree->nodes.at);
	if (tree->nodes.count < tree->most)
		return node_of(tree, parent, site, function);
	if (tree->others == CALL_NONE)
		tree->others = node_of(tree, CALL_ROOT, CALL_NONE, tree->others_function);
	return node_of(tree, tree->others, CALL_NONE, function);
}

uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t site, uint32_t function)
{
	const uint32_t multiplier = 0x9e3779b1; /* 2^32 / the golden ratio */

	if (tree->merges_sites)
		site = CALL_NONE;

	uint32_t hash = (parent ^ site << 8 ^ function << 16) * multiplier;
	uint32_t *recent = &tree->recent[hash / (UINT32_MAX / CALL_TREE_RECENT + 1)];
	const struct call_node_key *key = &tree->nodes.at[*recent].key;
	uint32_t outer = CALL_NONE;

	if (key->parent == parent && key->site == site && key->function == function)
		return *recent;
	if (tree->folds_recursion)
		outer = on_path(tree, parent, function);
	if (outer != CALL_NONE)
		return outer;
	*recent = find_child(tree, parent, site, function);
	return *recent;
}

uint32_t call_tree_open_node(struct call_tree *tree)
{
	return node_of(tree, CALL_OPEN, (uint32_t)tree->nodes.count, CALL_NONE);
}

/* Returns all nodes but the root, those of a parent together, and sets first[] by parent. */
static uint32_t *list_children(const struct call_tree *tree, size_t *first)
{
	size_t n = tree->nodes.count;
	uint32_t *children = checked_array(n, sizeof(*children));

	for (size_t i = 1; i < n; i++)
		first[tree->nodes.at[i].key.parent + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < n; i++)
		children[first[tree->nodes.at[i].key.parent + 1]++] = (uint32_t)i;
	return children;
}

void call_tree_walk(const struct call_tree *tree, void (*enter)(void *opaque, uint32_t node),
		    void (*leave)(void *opaque, uint32_t node), void *opaque)
{
	size_t *first = checked_array(tree->nodes.count + 2, sizeof(*first));
	uint32_t *children = list_children(tree, first);
	size_t *next = checked_array(tree->nodes.count, sizeof(*next)); /* child to be visited */
	uint32_t node = CALL_ROOT;

	for (size_t i = 0; i < tree->nodes.count; i++)
		next[i] = first[i];
	for (;;) {
		if (next[node] < first[node + 1]) {
			node = children[next[node]++];
			enter(opaque, node);
		} else if (node != CALL_ROOT) {
			leave(opaque, node);
			node = tree->nodes.at[node].key.parent;
		} else {
			break;
		}
	}
	free(first);
	free(children);
	free(next);
}
