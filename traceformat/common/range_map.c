/* SPDX-License-Identifier: MIT */
/*
 * An AVL tree whose one operation on two trees is to join them; splitting, setting and clearing
 * follow from it (Blelloch, Ferizovic and Sun, Just Join for Parallel Ordered Sets, SPAA 2016). The
 * balance is deterministic, so that no order of mappings in a trace makes the tree deep. Copies of
 * a map share nodes: a node that several trees have is copied before it changes (Driscoll et al.,
 * Making Data Structures Persistent, J. Computer and System Sciences 38, 1989).
 */
#include "traceformat/common/range_map.h"

#include <stdlib.h>

struct range_node {
	struct range range;
	struct range_node *child[2]; /* the ranges below this one, and above it */
	uint32_t references;
	uint32_t height;
};

enum { BELOW, ABOVE };

static struct range_node *share(struct range_node *n)
{
	if (n)
		n->references++;
	return n;
}

static void release(struct range_node *n)
{
	if (!n || --n->references)
		return;
	release(n->child[BELOW]);
	release(n->child[ABOVE]);
	free(n);
}

static struct range_node *make(const struct range *range)
{
	struct range_node *n = calloc(1, sizeof(*n));

	if (n)
		*n = (struct range_node){ .range = *range, .references = 1, .height = 1 };
	return n;
}

/*
 * Makes a node changeable: returns it, or a copy if other trees have it, too. If memory is out,
 * returns NULL and drops the subtree, as all functions below do; *failed is then set.
 */
static struct range_node *own(struct range_node *n, bool *failed)
{
	struct range_node *copy = n;

	if (!n || n->references == 1)
		return n;
	copy = make(&n->range);
	if (copy) {
		copy->child[BELOW] = share(n->child[BELOW]);
		copy->child[ABOVE] = share(n->child[ABOVE]);
		copy->height = n->height;
	}
	*failed |= !copy;
	release(n);
	return copy;
}

static uint32_t height(const struct range_node *n)
{
	return n ? n->height : 0;
}

static bool is_taller(const struct range_node *n, int side)
{
	return height(n->child[side]) > height(n->child[!side]) + 1;
}

static struct range_node *measured(struct range_node *n)
{
	uint32_t below = height(n->child[BELOW]), above = height(n->child[ABOVE]);

	n->height = 1 + (below > above ? below : above);
	return n;
}

/* Makes the child on a side the root. */
static struct range_node *rotate(struct range_node *n, int side, bool *failed)
{
	struct range_node *up = own(n->child[side], failed);

	n->child[side] = up ? up->child[!side] : NULL;
	measured(n);
	if (!up)
		return n;
	up->child[!side] = n;
	return measured(up);
}

/* Restores the balance of a node whose child on a side may be too tall by one. */
static struct range_node *balance(struct range_node *n, int side, bool *failed)
{
	struct range_node *tall;

	if (!is_taller(n, side))
		return measured(n);
	tall = n->child[side] = own(n->child[side], failed);
	if (tall && height(tall->child[!side]) > height(tall->child[side]))
		n->child[side] = rotate(tall, !side, failed);
	return rotate(n, side, failed);
}

/* Joins a tree, a node that the caller owns, and a tree above it. */
static struct range_node *join(struct range_node *below, struct range_node *middle,
			       struct range_node *above, bool *failed)
{
	int side;
	struct range_node *top;

	middle->child[BELOW] = below;
	middle->child[ABOVE] = above;
	side = is_taller(middle, ABOVE);
	if (!side && !is_taller(middle, BELOW))
		return measured(middle);
	/* The taller tree's root stays, and the rest is joined with its inner child. */
	top = own(middle->child[side], failed);
	if (!top)
		return join(side ? below : NULL, middle, side ? NULL : above, failed);
	if (side)
		top->child[BELOW] = join(below, middle, top->child[BELOW], failed);
	else
		top->child[ABOVE] = join(top->child[ABOVE], middle, above, failed);
	return balance(top, !side, failed);
}

/* Splits a tree into the addresses below one, and the others. A range that has both is divided. */
static void split(struct range_node *n, uint64_t address, struct range_node *parts[2], bool *failed)
{
	struct range_node *below, *above, *upper;
	struct range rest;

	parts[BELOW] = parts[ABOVE] = NULL;
	n = own(n, failed);
	if (!n)
		return;
	below = n->child[BELOW];
	above = n->child[ABOVE];
	if (n->range.first >= address) {
		split(below, address, parts, failed);
		parts[ABOVE] = join(parts[ABOVE], n, above, failed);
		return;
	}
	split(above, address, parts, failed);
	rest = (struct range){ address, n->range.last, n->range.value };
	if (n->range.last >= address) {
		n->range.last = address - 1;
		upper = make(&rest);
		*failed |= !upper;
		if (upper)
			parts[ABOVE] = join(NULL, upper, parts[ABOVE], failed);
	}
	parts[BELOW] = join(below, n, parts[BELOW], failed);
}

/*
 * Takes the lowest node out of a tree that is not empty, and leaves the rest; NULL if memory is
 * out.
 */
static struct range_node *take_lowest(struct range_node **tree, bool *failed)
{
	struct range_node *n = own(*tree, failed), *below, *lowest;

	*tree = NULL;
	if (!n)
		return NULL;
	below = n->child[BELOW];
	if (!below) {
		*tree = n->child[ABOVE];
		return n;
	}
	lowest = take_lowest(&below, failed);
	*tree = join(below, n, n->child[ABOVE], failed);
	return lowest;
}

/*
 * Splits off what lies below, and what lies above, the addresses first .. last, which are dropped.
 */
static void cut(struct range_map *map, uint64_t first, uint64_t last, struct range_node **below,
		struct range_node **above, bool *failed)
{
	struct range_node *parts[2], *rest[2] = { NULL, NULL };

	split(map->root, first, parts, failed);
	*below = parts[BELOW];
	if (last < UINT64_MAX)
		split(parts[ABOVE], last + 1, rest, failed);
	else
		rest[BELOW] = parts[ABOVE];
	*above = rest[ABOVE];
	release(rest[BELOW]);
}

bool range_map_set(struct range_map *map, struct range range)
{
	struct range_node *below, *above, *n = make(&range);
	bool failed = !n;

	if (failed)
		return false;
	cut(map, range.first, range.last, &below, &above, &failed);
	map->root = join(below, n, above, &failed);
	return !failed;
}

bool range_map_clear(struct range_map *map, uint64_t first, uint64_t last)
{
	struct range_node *below, *above, *lowest;
	bool failed = false;

	cut(map, first, last, &below, &above, &failed);
	map->root = below;
	if (above) {
		lowest = take_lowest(&above, &failed);
		if (lowest)
			map->root = join(below, lowest, above, &failed);
	}
	return !failed;
}

const struct range *range_map_at_or_above(const struct range_map *map, uint64_t address)
{
	const struct range *found = NULL;

	for (const struct range_node *n = map->root; n;) {
		bool right = n->range.last < address;

		found = right ? found : &n->range;
		n = n->child[right];
	}
	return found;
}

const struct range *range_map_at_or_below(const struct range_map *map, uint64_t address)
{
	const struct range *found = NULL;

	for (const struct range_node *n = map->root; n;) {
		bool right = n->range.first <= address;

		found = right ? &n->range : found;
		n = n->child[right];
	}
	return found;
}

const struct range *range_map_at(const struct range_map *map, uint64_t address)
{
	const struct range *found = range_map_at_or_above(map, address);

	return found && found->first <= address ? found : NULL;
}

struct range_map range_map_copy(const struct range_map *map)
{
	return (struct range_map){ share(map->root) };
}

void range_map_free(struct range_map *map)
{
	release(map->root);
	map->root = NULL;
}
