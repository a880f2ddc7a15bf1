/* SPDX-License-Identifier: MIT */
#include "recorder/translate/paths/counterparts.h"

#include "recorder/translate/paths/dead_flags.h"

/*
 * True if the path goes on behind an indirect jump, from its first new block on, which is then not
 * looked up. Else copies of code that other paths have as well would cost more than they gain.
 */
static bool is_worth_it(const struct translation *path, unsigned first_new)
{
	for (unsigned i = first_new ? first_new - 1 : 0; i + 1 < path->n_blocks; i++)
		if (plan_ends_indirectly(path->blocks[i]))
			return true;
	return false;
}

/* The path's blocks. */
static int make_plan(struct task *t, const struct translation *path, struct plan *p)
{
	plan_begin(p, path->pc, &(struct plan_options){ .counted = true, .function = TF_NONE });
	for (unsigned i = 0; i < path->n_blocks; i++) {
		if (i)
			plan_go_on(p, path->blocks[i]->trace.pc);
		plan_add(p, path->blocks[i]);
	}
	plan_end(p);
	return dead_flags_find(t, p);
}

int counterparts_add(struct task *t, struct translation *path, uint64_t stopped)
{
	struct cache *c = thread_of(t)->cache;
	struct translation *old = cache_find(c, path->pc, true);
	struct plan *p = cache_plan(c);
	unsigned far_insn;
	int status;

	if (!is_worth_it(path, 0))
		return 0;
	if (make_plan(t, path, p) < 0)
		return -1;
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
	unsigned far_insn;
	int status;

	if (!path->counterpart && !is_extension(c, path) && counterparts_add(t, path, stopped) < 0)
		return -1;
	if (!path->counterpart || !is_worth_it(extension, path->exits[exit].trace.n_blocks))
		return 0;
	if (make_plan(t, extension, p) < 0)
		return -1;
	status = cache_extend(c, t, p, path->counterpart, exit, &extension->counterpart, &far_insn);
	if (status != CACHE_ADDED)
		extension->counterpart = NULL;
	return status < 0 ? -1 : 0;
}
