/* SPDX-License-Identifier: MIT */
/*
 * Programs execute their code for the first time in much the same order each time. So a superblock
 * that is missing is translated together with those that came next, as a file is read ahead. Each
 * time that the earlier recording knew the missing one, the number of superblocks translated at a
 * time doubles. Each time that it did not, the number halves: a program that does something else
 * translates little in vain.
 *
 * The blocks are decoded from the code in memory, and a superblock ends where that does not lead
 * from one saved block to the next.
 */
#include "recorder/translate/superblocks/saved_superblocks.h"

#include "recorder/core/phase_times.h"
#include "recorder/program/space.h"
#include "recorder/translate/store/saved_programs.h"
#include "recorder/translate/superblocks/block_to_translate.h"
#include "recorder/translate/superblocks/chains.h"

/* trees that are translated at a time */
enum { LEAST_WINDOW = 16, MOST_WINDOW = 1024 };

/* Where the modules of the saved program are now. */
struct places {
	unsigned n_found;
	struct module_place {
		bool found;
		uint64_t bias;
	} at[SAVED_MODULES];
};

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

/* Adds the blocks of a saved superblock to the chain, up to the first that is not there. */
static int add_blocks(struct task *t, const struct places *places, const struct saved_superblock *s,
		      struct chain *chain)
{
	fetch_blocks(t, places, s);
	for (unsigned i = 0; i < s->n_blocks && chain->n_blocks < PLAN_BLOCKS; i++) {
		const struct module_place *place = &places->at[s->blocks[i].module];
		struct code_block *b;

		if (!place->found)
			break;
		if (block_to_translate(t, place->bias + s->blocks[i].offset, &b) < 0)
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
			   const struct saved_superblock *s, struct translation *parent,
			   struct translation **made)
{
	struct chain chain = { .n_blocks = 0 };
	int status;

	*made = NULL;
	if (parent && !begin_extension(parent, s->exit, &chain))
		return 0;
	if (add_blocks(t, places, s, &chain) < 0)
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

/* Translates the extensions of a tree's first superblock. */
static int load_extensions(struct task *t, const struct saved_program *p,
			   const struct places *places, struct span *span, unsigned n,
			   struct translation *made[SAVED_TREE])
{
	struct saved_superblock s;

	for (unsigned i = 1; i < n; i++) {
		saved_superblock_take(span, i, (uint32_t)p->modules.count, &s);
		if (span->bad)
			break;
		if (made[s.parent] && load_superblock(t, places, &s, made[s.parent], &made[i]) < 0)
			return -1;
		t->session->stats.cache_loaded += made[i] != NULL;
	}
	return 0;
}

/* Translates a tree, if the cache has no superblock at its place. */
static int load_tree(struct task *t, const struct saved_program *p, const struct places *places,
		     uint32_t tree, bool alone)
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
	if (load_superblock(t, places, &s, NULL, &made[0]) < 0)
		return -1;
	t->session->stats.cache_loaded += made[0] != NULL;
	t->session->stats.cache_stale += made[0] == NULL;
	if (!made[0])
		return 0;
	put_into_use(thread_of(t)->cache, &s, n > 1, made[0]);
	return alone ? load_extensions(t, p, places, &span, n, made) : 0;
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

static int load(struct task *t, uint64_t pc)
{
	struct cache *c = thread_of(t)->cache;
	struct saved_program *p = cache_saved(c);
	uint32_t tree = tree_at(t, p, pc), end;
	bool alone = is_alone(t);
	struct places places;

	adapt_window(p, tree != HASH_NONE);
	if (tree == HASH_NONE)
		return 0;
	find_places(t, p, &places);
	watch_returns(&places, c, p);
	end = p->trees.count - tree > p->window ? tree + p->window : (uint32_t)p->trees.count;
	if (load_tree(t, p, &places, tree, alone) < 0)
		return -1;
	while (++tree < end && !cache_is_full(c))
		if (!is_over(p, c, tree) && load_tree(t, p, &places, tree, alone) < 0)
			return -1;
	return 0;
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
