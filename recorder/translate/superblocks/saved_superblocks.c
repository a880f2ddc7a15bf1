/* SPDX-License-Identifier: MIT */
/*
 * Programs execute their code for the first time in much the same order each time. So a superblock
 * that is missing is translated together with those that came next, as a file is read ahead. Each
 * time that the earlier recording knew the missing one, the number of superblocks translated at a
 * time doubles. Each time that it did not, the number halves: a program that does something else
 * translates little in vain. A thread of its own finds the blocks of many superblocks.
 *
 * The blocks are decoded from the code in memory, and a superblock ends where that does not lead
 * from one saved block to the next.
 */
#include "recorder/translate/superblocks/saved_superblocks.h"

#include <stdlib.h>

#include "recorder/core/phase_times.h"
#include "recorder/program/space.h"
#include "recorder/translate/store/saved_programs.h"
#include "recorder/translate/superblocks/block_prefetch.h"
#include "recorder/translate/superblocks/block_to_translate.h"
#include "recorder/translate/superblocks/chains.h"

/* trees that are translated at a time */
enum {
	LEAST_WINDOW = 16,
	MOST_WINDOW = 1024,
	LEAST_AHEAD = 32, /* for fewer, waking the thread takes too long */
};

/* Where the modules of the saved program are now. */
struct places {
	unsigned n_found;
	struct module_place {
		bool found;
		uint64_t bias;
	} at[SAVED_MODULES];
};

/* The blocks of a window's trees, to be found ahead. */
struct request {
	unsigned n;                        /* blocks */
	unsigned first_block[MOST_WINDOW]; /* of each tree, by its place in the window */
	uint64_t pcs[PREFETCH_BLOCKS];     /* 0: the block is known, or not there */
};

enum { NOT_REQUESTED = PREFETCH_BLOCKS };

static void find_places(const struct task *t, const struct saved_program *p, struct places *places)
{
	const struct space *space = t->process->space;
	const struct module *last = NULL;
	struct module_identity identity;

	places->n_found = 0;
	for (size_t i = 0; i < p->modules.count; i++)
		places->at[i].found = false;
	for (size_t i = 0; i < space->count; i++) {
		const struct mapping *m = &space->mappings[i];
		uint32_t module;

		if (!m->module || m->module == last || !space_is_stable(m) ||
		    !saved_identity(m->module, &identity))
			continue;
		last = m->module;
		module = saved_program_module(p, &identity);
		if (module == SAVED_MODULES)
			continue;
		places->at[module] = (struct module_place){ true, m->bias };
		places->n_found++;
	}
}

/* Returns the number of the saved tree at pc, or HASH_NONE. */
static uint32_t tree_at(const struct task *t, const struct saved_program *p, uint64_t pc)
{
	const struct mapping *m = space_find(t->process->space, pc);
	struct module_identity identity;
	uint32_t module;

	if (!m || !m->module || !saved_identity(m->module, &identity))
		return HASH_NONE;
	module = saved_program_module(p, &identity);
	if (module == SAVED_MODULES || (pc - m->bias) >> SAVED_OFFSET_BITS)
		return HASH_NONE;
	return saved_program_find(p, saved_key(module, pc - m->bias));
}

static void fetch_blocks(const struct task *t, const struct places *places,
			 const struct saved_superblock *s)
{
	for (unsigned i = 0; i < s->n_blocks; i++) {
		const struct module_place *place = &places->at[s->blocks[i].module];

		if (place->found)
			cache_fetch(thread_of(t)->cache, place->bias + s->blocks[i].offset);
	}
}

/* Finds block i of a saved superblock. `first` is the number of block 0 in the request, or
 * NOT_REQUESTED. */
static int find_block(struct task *t, uint64_t pc, unsigned first, unsigned i,
		      struct code_block **b)
{
	if (first == NOT_REQUESTED)
		return block_to_translate(t, pc, b);
	*b = block_to_translate_found(t, pc, block_prefetch_take(t->session, first + i));
	return 0;
}

/* Returns the number, in the request, of the block after those of the superblock. */
static unsigned number_after(unsigned first, const struct saved_superblock *s)
{
	return first == NOT_REQUESTED ? NOT_REQUESTED : first + s->n_blocks;
}

/* Adds the blocks of a saved superblock to the chain, up to the first that is not there. */
static int add_blocks(struct task *t, const struct places *places, const struct saved_superblock *s,
		      unsigned first, struct chain *chain)
{
	fetch_blocks(t, places, s);
	for (unsigned i = 0; i < s->n_blocks && chain->n_blocks < PLAN_BLOCKS; i++) {
		const struct module_place *place = &places->at[s->blocks[i].module];
		struct code_block *b;

		if (!place->found)
			break;
		if (find_block(t, place->bias + s->blocks[i].offset, first, i, &b) < 0)
			return -1;
		if (!b || b->may_change || (chain->n_blocks && b->watch.any))
			break;
		chain->blocks[chain->n_blocks++] = b;
	}
	return 0;
}

/* Returns true if no other thread is in the cache, where superblocks may then be joined. */
static bool is_alone(const struct task *t)
{
	for (const struct task *other = t->next; other != t; other = other->next)
		if (other->translate && thread_of(other)->cache == thread_of(t)->cache &&
		    thread_of(other)->mode != THREAD_SYNCHRONIZED &&
		    thread_of(other)->mode != THREAD_STEPPING)
			return false;
	return true;
}

/* Prepares the chain of an extension. Returns false if the parent has no such exit any more. */
static bool begin_extension(struct translation *parent, unsigned exit, struct chain *chain)
{
	const struct translation_exit *e;

	if (!parent || exit >= parent->n_exits)
		return false;
	e = &parent->exits[exit];
	if (!e->side_exit.pc || e->extended || !e->trace.n_blocks)
		return false;
	*chain = (struct chain){ .head = parent, .exit = exit, .n_shared = e->trace.n_blocks };
	chain->n_blocks = chain->n_shared;
	memcpy(chain->blocks, parent->blocks, chain->n_shared * sizeof(*chain->blocks));
	return true;
}

/* Returns true if the extension begins where the exit leads to. */
static bool continues_exit(const struct chain *chain)
{
	const struct translation_exit *e = &chain->head->exits[chain->exit];

	return chain->n_blocks > chain->n_shared &&
	       (!e->target || e->target == chain->blocks[chain->n_shared]->trace.pc);
}

/* Translates a superblock of a tree; *made is NULL if that is not possible. */
static int load_superblock(struct task *t, const struct places *places,
			   const struct saved_superblock *s, unsigned first,
			   struct translation *parent, struct translation **made)
{
	struct chain chain = { .n_blocks = 0 };
	int status;

	*made = NULL;
	if (parent && !begin_extension(parent, s->exit, &chain))
		return 0;
	if (add_blocks(t, places, s, first, &chain) < 0)
		return -1;
	if (parent ? !continues_exit(&chain) : !chain.n_blocks)
		return 0;
	status = chain_translate(t, &chain, made);
	if (status != CACHE_ADDED)
		*made = NULL;
	return status < 0 ? -1 : 0;
}

/* Prepares the first superblock of a tree for use. */
static void put_into_use(struct cache *c, const struct saved_superblock *s, bool extended,
			 struct translation *made)
{
	made->generation = (uint8_t)(s->generation < LAST_GENERATION ? s->generation
								     : LAST_GENERATION);
	made->extension_done = extended || made->generation == LAST_GENERATION;
	if (s->entered)
		cache_link_indirect(c, made);
}

static void note_loaded(const struct task *t)
{
	t->session->stats.cache_loaded++;
	cache_note_loaded(thread_of(t)->cache);
}

/* Translates the extensions of a tree's first superblock. */
static int load_extensions(struct task *t, const struct saved_program *p,
			   const struct places *places, struct span *span, unsigned n,
			   unsigned first, struct translation *made[SAVED_TREE])
{
	struct saved_superblock s;

	for (unsigned i = 1; i < n; i++) {
		saved_superblock_take(span, i, (uint32_t)p->modules.count, &s);
		if (span->bad)
			break;
		if (made[s.parent] &&
		    load_superblock(t, places, &s, first, made[s.parent], &made[i]) < 0)
			return -1;
		first = number_after(first, &s);
		if (made[i])
			note_loaded(t);
	}
	return 0;
}

/* Translates a tree, if the cache has no superblock at its place. */
static int load_tree(struct task *t, const struct saved_program *p, const struct places *places,
		     uint32_t tree, unsigned first, bool alone)
{
	struct span span = saved_program_tree(p, tree);
	unsigned n = (unsigned)take_varint_max(&span, SAVED_TREE - 1) + 1;
	struct translation *made[SAVED_TREE] = { NULL };
	const struct module_place *place;
	struct saved_superblock s;

	saved_superblock_take(&span, 0, (uint32_t)p->modules.count, &s);
	place = &places->at[s.blocks[0].module];
	if (span.bad || !place->found ||
	    cache_first(thread_of(t)->cache, place->bias + s.blocks[0].offset))
		return 0;
	if (load_superblock(t, places, &s, first, NULL, &made[0]) < 0)
		return -1;
	t->session->stats.cache_stale += made[0] == NULL;
	if (!made[0])
		return 0;
	note_loaded(t);
	put_into_use(thread_of(t)->cache, &s, n > 1, made[0]);
	if (!alone)
		return 0;
	return load_extensions(t, p, places, &span, n, number_after(first, &s), made);
}

/*
 * Watches returns that were found in the earlier recording. Otherwise a superblock that guards such
 * a return would make the watch flush the cache.
 */
static void watch_returns(const struct places *places, struct cache *c, struct saved_program *p)
{
	if (p->watched_by == c && p->watched_modules == places->n_found)
		return;
	p->watched_by = c;
	p->watched_modules = places->n_found;
	for (size_t i = 0; i < p->returns.count; i++) {
		uint64_t key = p->returns.at[i].key;
		const struct module_place *place = &places->at[saved_key_module(key)];
		uint64_t pc = place->bias + saved_key_offset(key);

		if (place->found && !cache_watches_return(c, pc) && !cache_has_guard(c, pc))
			cache_watch_return(c, pc);
	}
}

/* Chooses how many trees are loaded for one that is missing. */
static void adapt_window(struct saved_program *p, bool found)
{
	p->window = found ? 2 * p->window : p->window / 2;
	if (p->window < LEAST_WINDOW)
		p->window = LEAST_WINDOW;
	if (p->window > MOST_WINDOW)
		p->window = MOST_WINDOW;
}

/* Returns true if the tree was executed before the cache was flushed. Few are executed again. */
static bool is_over(const struct saved_program *p, const struct cache *c, uint32_t tree)
{
	return cache_was_flushed(c) && p->trees.at[tree].executed;
}

/* Loads the trees of a window. */
static int load_at_once(struct task *t, const struct saved_program *p, const struct places *places,
			uint32_t tree, uint32_t end)
{
	struct cache *c = thread_of(t)->cache;
	bool alone = is_alone(t);

	for (uint32_t i = tree; i < end && !cache_is_full(c); i++)
		if (!is_over(p, c, i) && load_tree(t, p, places, i, NOT_REQUESTED, alone) < 0)
			return -1;
	return 0;
}

/* Returns true unless the tree is in the cache, or need not be loaded. */
static bool is_missing(const struct task *t, const struct saved_program *p,
		       const struct places *places, uint32_t tree)
{
	const struct cache *c = thread_of(t)->cache;
	uint64_t key = p->trees.at[tree].key;
	const struct module_place *place = &places->at[saved_key_module(key)];

	return place->found && !is_over(p, c, tree) &&
	       !cache_first(c, place->bias + saved_key_offset(key));
}

/* Adds the blocks of a tree to the request. Returns false if there is no room. */
static bool request_tree(const struct task *t, const struct saved_program *p,
			 const struct places *places, uint32_t tree, struct request *r)
{
	struct span span = saved_program_tree(p, tree);
	unsigned count = (unsigned)take_varint_max(&span, SAVED_TREE - 1) + 1;
	struct saved_superblock s;

	for (unsigned i = 0; i < count && !span.bad; i++) {
		saved_superblock_take(&span, i, (uint32_t)p->modules.count, &s);
		if (PREFETCH_BLOCKS - r->n < s.n_blocks)
			return false;
		for (unsigned k = 0; k < s.n_blocks; k++) {
			const struct module_place *place = &places->at[s.blocks[k].module];
			uint64_t pc = place->bias + s.blocks[k].offset;

			r->pcs[r->n++] = place->found && block_is_to_be_found(t, pc) ? pc : 0;
		}
	}
	return true;
}

/* Requests the blocks of the window's missing trees. Returns the end of the trees requested. */
static uint32_t request_trees(const struct task *t, const struct saved_program *p,
			      const struct places *places, uint32_t tree, uint32_t end,
			      struct request *r)
{
	r->n = 0;
	for (uint32_t i = tree; i < end; i++) {
		unsigned first = r->n;

		r->first_block[i - tree] = NOT_REQUESTED;
		if (!is_missing(t, p, places, i))
			continue;
		if (!request_tree(t, p, places, i, r)) {
			r->n = first;
			return i;
		}
		r->first_block[i - tree] = first;
	}
	return end;
}

/* Loads the trees whose blocks have been requested. */
static int load_requested(struct task *t, const struct saved_program *p,
			  const struct places *places, uint32_t tree, uint32_t end,
			  const struct request *r)
{
	struct cache *c = thread_of(t)->cache;
	bool alone = is_alone(t);

	for (uint32_t i = tree; i < end && !cache_is_full(c); i++)
		if (r->first_block[i - tree] != NOT_REQUESTED &&
		    load_tree(t, p, places, i, r->first_block[i - tree], alone) < 0)
			return -1;
	return 0;
}

/*
 * Loads the trees of a window, and finds their blocks at the same time; without memory or a thread,
 * one after another. The request is too large for a small stack.
 */
static int load_ahead(struct task *t, const struct saved_program *p, const struct places *places,
		      uint32_t tree, uint32_t end)
{
	struct request *r = malloc(sizeof(*r));
	int status;

	if (!r)
		return load_at_once(t, p, places, tree, end);
	end = request_trees(t, p, places, tree, end, r);
	if (block_prefetch_begin(t, r->pcs, r->n)) {
		status = load_requested(t, p, places, tree, end, r);
		if (block_prefetch_end(t->session) < 0)
			status = -1;
	} else {
		status = load_at_once(t, p, places, tree, end);
	}
	free(r);
	return status;
}

static int load(struct task *t, uint64_t pc)
{
	struct cache *c = thread_of(t)->cache;
	struct saved_program *p = cache_saved(c);
	uint32_t tree = tree_at(t, p, pc), end;
	struct places places;

	adapt_window(p, tree != HASH_NONE);
	if (tree == HASH_NONE)
		return 0;
	find_places(t, p, &places);
	watch_returns(&places, c, p);
	end = p->trees.count - tree > p->window ? tree + p->window : (uint32_t)p->trees.count;
	if (load_tree(t, p, &places, tree, NOT_REQUESTED, is_alone(t)) < 0)
		return -1;
	tree++;
	return end - tree < LEAST_AHEAD ? load_at_once(t, p, &places, tree, end)
					: load_ahead(t, p, &places, tree, end);
}

int saved_superblocks_load(struct task *t, uint64_t pc)
{
	const struct saved_program *p = cache_saved(thread_of(t)->cache);
	enum record_phase before;
	int status;

	if (!p || !p->trees.count)
		return 0;
	before = phase_times_begin(t->session, RECORD_LOAD);
	status = load(t, pc);
	phase_times_end(t->session, before);
	return status;
}
