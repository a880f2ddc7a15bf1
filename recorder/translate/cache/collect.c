/* SPDX-License-Identifier: MIT */
/*
 * Collects the superblocks that were executed, for the persistent code cache on disk.
 *
 * A path gets its number in the trace with its first record, so these numbers order superblocks by
 * their first execution. A tree counts as executed when the first of its superblocks, or one that
 * its head has replaced, was executed. A superblock is saved up to the last block that was reached,
 * so a later recording translates less.
 */
#include <stdlib.h>

#include "recorder/core/phase_times.h"
#include "recorder/program/modules.h"
#include "recorder/translate/cache/cache_parts.h"
#include "recorder/translate/store/saved_programs.h"

_Static_assert((int)SAVED_BLOCKS == (int)PLAN_BLOCKS, "every superblock can be saved");
_Static_assert((int)SAVED_EXITS == (int)PLAN_EXITS, "every exit can be saved");

/* A superblock to save, and its tree. */
struct node {
	uint32_t executed; /* order of the tree's first execution */
	uint32_t root;     /* number of the head's first exit */
	struct translation *translation;
};

/* Numbers of modules in the saved program, by index in the trace; SAVED_MODULES: not looked up. */
struct collector {
	const struct cache *cache;
	struct saved_program *program;
	ARRAY(struct node) nodes;
	ARRAY(uint32_t) modules;
	struct buffer body, tree; /* bytes of the present tree: its superblocks, the whole */
};

static struct translation *root_of(struct translation *t)
{
	while (t->extends)
		t = t->extends;
	return t;
}

static bool is_saved(const struct translation *t)
{
	return !t->counted && !t->checked && !t->bounded && t->n_blocks;
}

static void note_execution(struct translation *t, uint32_t path)
{
	for (; t; t = t->extends)
		if (path < t->executed)
			t->executed = path;
}

/* Sets `executed` of the translations that are saved. */
static void find_executed(const struct cache *c)
{
	for (uint32_t i = 0; i < c->exits.count; i++) {
		struct translation *t = c->exits.exits[i].translation, *live;

		if (c->exits.exits[i].exit || !is_saved(t) || t->trace_path == TF_NONE)
			continue;
		note_execution(t, t->trace_path);
		live = cache_find(c, t->pc, false);
		if (live)
			note_execution(live, t->trace_path);
	}
}

static bool list_nodes(struct collector *k)
{
	const struct cache *c = k->cache;

	for (uint32_t i = 0; i < c->exits.count; i++) {
		struct translation *t = c->exits.exits[i].translation, *root;

		if (c->exits.exits[i].exit || !is_saved(t) || t->executed == TF_NONE)
			continue;
		root = root_of(t);
		if (root->status != TRANSLATION_LIVE || !is_saved(root))
			continue;
		if (!RESERVE(k->nodes, k->nodes.count + 1))
			return false;
		k->nodes.at[k->nodes.count++] = (struct node){ root->executed, root->first_exit,
							       t };
	}
	return true;
}

/* Orders trees by their first execution, and a tree's superblocks by age: parents come first. */
static int by_execution(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->executed != y->executed)
		return x->executed < y->executed ? -1 : 1;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->translation->first_exit < y->translation->first_exit ? -1 : 1;
}

/* Returns the number of a block's module in the saved program, or SAVED_MODULES. */
static uint32_t module_of(struct collector *k, uint32_t index)
{
	struct module_identity identity;
	const struct module *m;
	size_t known = k->modules.count;

	if (index == TF_NONE)
		return SAVED_MODULES;
	if (index >= known) {
		if (!RESERVE(k->modules, index + 1))
			return SAVED_MODULES;
		for (k->modules.count = index + 1; known <= index; known++)
			k->modules.at[known] = SAVED_MODULES;
	}
	m = k->modules.at[index] == SAVED_MODULES
		    ? modules_at(k->cache->session->code.modules, index)
		    : NULL;
	if (m && saved_identity(m, &identity))
		k->modules.at[index] = saved_program_add_module(k->program, &identity);
	return k->modules.at[index];
}

/* Returns how many blocks the exit needs. One that is extended must not become the last one, whose
 * exits have other numbers. */
static unsigned blocks_to(const struct translation_exit *e)
{
	if (e->extended)
		return e->trace.n_blocks + 1u;
	return e->taken ? e->trace.n_blocks : 0;
}

/*
 * Returns how many blocks of the superblock have been reached. The others were predicted in vain.
 * A superblock without complete records has all its blocks.
 */
static unsigned blocks_reached(const struct translation *t)
{
	unsigned reached = 0;

	for (unsigned i = 0; i < t->n_exits; i++)
		if (blocks_to(&t->exits[i]) > reached)
			reached = blocks_to(&t->exits[i]);
	return reached && reached < t->n_blocks ? reached : t->n_blocks;
}

/* Fills in the superblock's own blocks, up to the last one that has been reached. Returns false if
 * one cannot be saved. */
static bool fill_blocks(struct collector *k, const struct translation *t, unsigned n_shared,
			struct saved_superblock *s)
{
	unsigned reached = blocks_reached(t);

	for (unsigned i = n_shared; i < reached; i++) {
		const struct tf_block *b = &t->blocks[i]->trace;
		struct saved_block block = { module_of(k, b->module), b->module_offset };

		if (t->blocks[i]->may_change || block.module == SAVED_MODULES ||
		    block.offset >> SAVED_OFFSET_BITS)
			return false;
		s->blocks[s->n_blocks++] = block;
	}
	return s->n_blocks;
}

/* Returns the place of a translation among the n_saved of its tree, or n_saved. */
static unsigned place_of(const struct translation *t, const struct translation *const *saved,
			 unsigned n_saved)
{
	unsigned i = 0;

	while (i < n_saved && saved[i] != t)
		i++;
	return i;
}

/* Puts a superblock as the tree's next one, if the tree has its parent. */
static bool put_superblock(struct collector *k, const struct translation *t,
			   const struct translation *const *saved, unsigned n_saved,
			   struct buffer *b)
{
	struct saved_superblock s = { .entered = t->prefix != 0, .generation = t->generation };
	unsigned n_shared = 0;

	if (t->extends) {
		s.parent = place_of(t->extends, saved, n_saved);
		s.exit = t->extends_exit;
		n_shared = t->extends->exits[s.exit].trace.n_blocks;
	}
	if (s.parent == n_saved && n_saved)
		return false;
	if (n_saved == SAVED_TREE || !t->extends != !n_saved || !fill_blocks(k, t, n_shared, &s))
		return false;
	saved_superblock_put(b, &s, !n_saved);
	return true;
}

/* Saves the tree that begins at a node. Returns false if memory is out. */
static bool save_tree(struct collector *k, const struct node *tree, unsigned n_nodes)
{
	const struct translation *saved[SAVED_TREE];
	const struct tf_block *first = &tree->translation->blocks[0]->trace;
	unsigned n = 0;

	k->body.size = k->tree.size = 0;
	for (unsigned i = 0; i < n_nodes && (n || !i); i++)
		if (put_superblock(k, tree[i].translation, saved, n, &k->body))
			saved[n++] = tree[i].translation;
	if (!n)
		return true;
	put_varint(&k->tree, n - 1);
	put_bytes(&k->tree, k->body.data, k->body.size);
	return !k->body.failed && !k->tree.failed &&
	       saved_program_put(k->program,
				 saved_key(module_of(k, first->module), first->module_offset),
				 &k->tree);
}

/* Saves where watched functions have returned to. Returns false if memory is out. */
static bool save_returns(struct collector *k)
{
	const struct cache *c = k->cache;

	for (size_t i = 0; i < c->returns.count; i++) {
		uint64_t pc = c->returns.at[i].key;
		const struct code_range *r = code_map_find(&c->code_map, pc);
		uint32_t module = r && r->module ? module_of(k, r->module->index) : SAVED_MODULES;

		if (module != SAVED_MODULES && !((pc - r->bias) >> SAVED_OFFSET_BITS) &&
		    !saved_program_put_return(k->program, saved_key(module, pc - r->bias)))
			return false;
	}
	return true;
}

/*
 * Returns true if the saved program has nearly all superblocks, so that it is not worth writing
 * again.
 */
static bool is_known(const struct cache *c)
{
	return c->n_translated - c->n_loaded <= c->n_loaded / SAVED_LEAST_SHARE;
}

void collect_executed(const struct cache *c)
{
	struct collector k = { .cache = c, .program = c->saved };
	enum record_phase before;
	size_t n;

	if (!k.program || is_known(c))
		return;
	before = phase_times_begin(c->session, RECORD_LOAD);
	find_executed(c);
	if (save_returns(&k) && list_nodes(&k) && k.nodes.count) {
		qsort(k.nodes.at, k.nodes.count, sizeof(*k.nodes.at), by_execution);
		for (size_t i = 0; i < k.nodes.count; i += n) {
			const struct node *tree = &k.nodes.at[i];

			for (n = 1; i + n < k.nodes.count && tree[n].root == tree->root; n++)
				;
			if (!save_tree(&k, tree, (unsigned)n))
				break;
		}
	}
	free(k.nodes.at);
	free(k.modules.at);
	buffer_free(&k.body);
	buffer_free(&k.tree);
	phase_times_end(c->session, before);
}
