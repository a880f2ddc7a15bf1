/* SPDX-License-Identifier: MIT */
#include "recorder/translate/paths.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "recorder/block_at.h"
#include "recorder/functions.h"
#include "recorder/output.h"
#include "recorder/space.h"

/*
 * Code can be translated where it stays as it is until a system call changes that: private and
 * not writable. Writable and shared code is stepped.
 */
static bool is_stable(const struct task *t, uint64_t start, uint64_t end)
{
	const struct space *space = t->process->space;

	while (start < end) {
		const struct mapping *m = space_find(space, start);

		if (!m || !(m->protection & PROT_EXEC) || m->protection & PROT_WRITE || m->shared)
			return false;
		start = m->end;
	}
	return true;
}

static bool is_translatable(const struct task *t, struct code_block *b)
{
	if (b->translatable == TRANSLATABLE_UNKNOWN)
		b->translatable = !b->watch.to && plan_can_have(b) ? TRANSLATABLE : NOT_TRANSLATABLE;
	return b->translatable == TRANSLATABLE &&
	       is_stable(t, b->trace.pc, b->trace.pc + b->trace.code_size);
}

/* The block at pc if it can be translated, else *block is NULL. */
static int usable_block(struct task *t, uint64_t pc, struct code_block **block)
{
	if (!is_stable(t, pc, pc + 1)) {
		*block = NULL;
		return 0;
	}
	if (block_at(t, pc, block, NULL) < 0)
		return -1;
	if (*block && !is_translatable(t, *block))
		*block = NULL;
	return 0;
}

static bool has_block(const struct plan *p, const struct code_block *b)
{
	for (unsigned i = 0; i < p->n_blocks; i++)
		if (p->blocks[i] == b)
			return true;
	return false;
}

/* Plans a path of at most max_blocks; without blocks if what is at pc is to be stepped. */
static int make_plan(struct task *t, uint64_t pc, unsigned max_blocks, struct plan *p)
{
	struct session *s = t->session;
	struct code_block *b;
	uint64_t next;

	p->n_blocks = 0;
	if (usable_block(t, pc, &b) < 0)
		return -1;
	if (!b)
		return 0;
	plan_begin(p, pc, s->options->no_addresses, b->watch.function,
		   functions_args(s, b->watch.function));
	plan_add(p, b);
	next = plan_next(p);
	while (next && p->n_blocks < max_blocks) {
		if (usable_block(t, next, &b) < 0)
			return -1;
		if (!b || b->watch.any || has_block(p, b) || !plan_fits(p, b))
			break;
		plan_go_on(p, next);
		plan_add(p, b);
		next = plan_next(p);
	}
	plan_end(p);
	return 0;
}

static unsigned block_of(const struct plan *p, unsigned insn)
{
	unsigned i = 0;

	while (insn >= p->blocks[i]->trace.n_insns)
		insn -= p->blocks[i++]->trace.n_insns;
	return i;
}

static int make_path(struct task *t, struct cache *c, uint64_t pc, struct translation **path)
{
	unsigned max_blocks = PLAN_BLOCKS, far_insn = 0;
	struct plan *p = malloc(sizeof(*p));
	int status;

	if (!p)
		return output_memory(t->session->output);
	do {
		status = make_plan(t, pc, max_blocks, p);
		if (status < 0 || !p->n_blocks)
			break;
		status = cache_add(c, t, p, path, &far_insn);
		if (status == CACHE_FAR)
			max_blocks = block_of(p, far_insn);
	} while (status == CACHE_FAR && max_blocks);
	free(p);
	return status < 0 ? -1 : 0;
}

int path_at(struct task *t, uint64_t pc, struct translation **path)
{
	struct cache *c = ((struct thread *)t->translate)->cache;
	double began;
	int status;

	*path = cache_find(c, pc);
	if (*path)
		return 0;
	began = session_now();
	status = make_path(t, c, pc, path);
	t->session->stats.translating += session_now() - began;
	return status;
}

/* The chain's blocks as one path, as far as they fit. */
static void plan_chain(struct task *t, const struct cache *c, const struct chain *chain,
		       unsigned max_blocks, struct plan *p)
{
	const struct session *s = t->session;
	uint32_t function = chain->blocks[0]->watch.function;

	plan_begin(p, chain->head->pc, s->options->no_addresses, function,
		   functions_args(s, function));
	plan_add(p, chain->blocks[0]);
	for (unsigned i = 1; i < chain->n_blocks && i < max_blocks; i++) {
		struct code_block *b = chain->blocks[i];

		if (!plan_fits(p, b) || !plan_can_go_on(p, b->trace.pc) ||
		    cache_watches_return(c, b->trace.pc))
			break;
		plan_go_on(p, b->trace.pc);
		plan_add(p, b);
	}
	plan_end(p);
}

/* Targets of its indirect jumps, which must not become watched ones unnoticed. */
static bool note_guards(struct cache *c, const struct plan *p)
{
	for (unsigned i = 0; i < p->n_insns; i++)
		if (p->insns[i].guard && !cache_note_guard(c, p->insns[i].guard))
			return false;
	return true;
}

int path_join(struct task *t, const struct chain *chain, uint64_t stopped)
{
	struct cache *c = ((struct thread *)t->translate)->cache;
	unsigned max_blocks = PLAN_BLOCKS, far_insn = 0;
	struct plan *p = malloc(sizeof(*p));
	struct translation *joined;
	int status;

	if (!p)
		return output_memory(t->session->output);
	do {
		plan_chain(t, c, chain, max_blocks, p);
		if (p->n_blocks <= chain->head->n_blocks || !note_guards(c, p)) {
			status = CACHE_FULL;
			break;
		}
		status = cache_add(c, t, p, &joined, &far_insn);
		if (status == CACHE_FAR)
			max_blocks = block_of(p, far_insn);
	} while (status == CACHE_FAR && max_blocks);
	free(p);
	if (status != CACHE_ADDED)
		return status < 0 ? -1 : 0;
	t->session->stats.joined++;
	joined->joined = true;
	cache_replace(c, chain->head, joined, stopped);
	return 0;
}
