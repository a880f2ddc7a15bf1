/* SPDX-License-Identifier: MIT */
#include "recorder/translate/paths/counterparts.h"

#include "recorder/translate/paths/dead_flags.h"

/*
 * How many of the path's blocks are worth copying: up to the one behind its last indirect jump,
 * which is then not looked up; and also what leads to such a jump at its end, where it may be led
 * on. Other copies of code gain nothing, and take room in the processor's caches of instructions.
 */
static unsigned blocks_worth_it(const struct translation *path)
{
	unsigned n = 0, last = path->n_blocks - 1;

	for (unsigned i = 0; i < last; i++)
		if (plan_ends_indirectly(path->blocks[i]))
			n = i + 2;
	return n && plan_ends_indirectly(path->blocks[last]) ? path->n_blocks : n;
}

/* The path's first n_blocks. */
static void make_plan(struct task *t, const struct translation *path, unsigned n_blocks,
		      struct plan *p)
{
	plan_begin(p, path->pc, &(struct plan_options){ .counted = true, .function = TF_NONE });
	for (unsigned i = 0; i < n_blocks; i++) {
		if (i)
			plan_go_on(p, path->blocks[i]->trace.pc);
		plan_add(p, path->blocks[i]);
	}
	plan_end(p);
	dead_flags_find(t, p);
}

int counterparts_add(struct task *t, struct translation *path, uint64_t stopped)
{
	struct cache *c = thread_of(t)->cache;
	struct translation *old = cache_find(c, path->pc, true);
	struct plan *p = cache_plan(c);
	unsigned n_blocks = blocks_worth_it(path), far_insn;
	int status;

	if (!n_blocks)
		return 0;
	make_plan(t, path, n_blocks, p);
	p->options.entered = old && old->prefix;
	status = cache_add(c, t, p, &path->counterpart, &far_insn);
	if (status != CACHE_ADDED) {
		path->counterpart = NULL;
		return status < 0 ? -1 : 0;
	}
	if (old)
		cache_replace(c, old, path->counterpart, stopped);
	return 0;
}

/* An extension begins at no pc of its own. */
static bool is_extension(const struct cache *c, const struct translation *path)
{
	return cache_find(c, path->pc, false) != path;
}

int counterparts_extend(struct task *t, struct translation *path, unsigned exit,
			struct translation *extension, uint64_t stopped)
{
	struct cache *c = thread_of(t)->cache;
	struct plan *p = cache_plan(c);
	unsigned last = path->exits[exit].trace.n_blocks - 1u, far_insn;
	int status;

	if (!plan_ends_indirectly(path->blocks[last]))
		return 0;
	if (!path->counterpart && !is_extension(c, path) && counterparts_add(t, path, stopped) < 0)
		return -1;
	if (!path->counterpart)
		return 0;
	make_plan(t, extension, blocks_worth_it(extension), p);
	status = cache_extend(c, t, p, path->counterpart, exit, &extension->counterpart, &far_insn);
	if (status != CACHE_ADDED)
		extension->counterpart = NULL;
	return status < 0 ? -1 : 0;
}
