/* SPDX-License-Identifier: MIT */
/*
 * A call tree, or calling context tree (G. Ammons, T. Ball and J. R. Larus, "Exploiting hardware
 * performance counters with flow and context sensitive profiling", PLDI 1997): a node for each
 * distinct path of calls. Calls from different places of a function have nodes of their own, unless
 * the tree merges these places.
 */
#ifndef CALLS_TREE_H
#define CALLS_TREE_H

#include "traceformat/common/hash_table.h"

#define CALL_ROOT 0 /* the node above all others; it is no function */
#define CALL_NONE UINT32_MAX
#define CALL_OPEN (UINT32_MAX - 1) /* parent of nodes whose place is not known yet */

struct call_node {
	struct call_node_key {
		uint32_t parent;   /* node; CALL_NONE for the root; CALL_OPEN */
		uint32_t site;     /* the block that ends with the call, or CALL_NONE */
		uint32_t function; /* number, or CALL_NONE for the root */
	} key;
	uint32_t depth; /* calls above it; 0 for the root */
	uint64_t calls;
};

enum { CALL_TREE_RECENT = 4096 };

struct call_tree {
	HASH_TABLE(struct call_node) nodes; /* a node comes after its parent */
	size_t most;                        /* nodes; a new path beyond them begins at `others` */
	bool merges_sites;                  /* nodes do not tell from where a function was called */
	bool folds_recursion;     /* a call of a function that is being called leads to its node */
	uint32_t others;          /* node, or CALL_NONE: none was needed */
	uint32_t others_function; /* number of the function of that node */
	uint32_t recent[CALL_TREE_RECENT]; /* nodes that were found, by a hash of their keys */
};

/*
 * Makes the root. others_function: number of the pseudo function above paths for which there was no
 * room. All functions end the process if memory is out.
 */
void call_tree_init(struct call_tree *tree, uint32_t others_function);
void call_tree_free(struct call_tree *tree);

/* Returns the node of a function that is called in the node `parent` at a site. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t site, uint32_t function);

/* Adds a node whose place is not known yet. */
uint32_t call_tree_open_node(struct call_tree *tree);

/*
 * Walks through the tree, which has no open nodes. Calls enter(opaque, node) for each node but the
 * root, below a node in the order of their first calls, and leave(opaque, node) behind all nodes
 * below it.
 */
void call_tree_walk(const struct call_tree *tree, void (*enter)(void *opaque, uint32_t node),
		    void (*leave)(void *opaque, uint32_t node), void *opaque);

#endif
