/* SPDX-License-Identifier: MIT */
#include "recorder/translate/superblocks/counting_variants.h"

#include "recorder/core/intervals.h"
#include "recorder/core/loop_heads.h"
#include "recorder/program/code_pages.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/flag_use.h"
#include "recorder/translate/thread/thread.h"

/* ---- flags ---- */

/* Returns where control continues after the instruction, or 0 if there is more than one place. */
static uint64_t behind(const struct isa_insn *insn, uint64_t pc)
{
	switch ((enum tf_end)insn->end) {
	case TF_END_NONE: return pc + insn->length;
	case TF_END_CALL:
	case TF_END_JUMP: return insn->target;
	default: return 0;
	}
}

/* Returns what the instruction at pc does to the flags. Sets *next to where control continues, or
 * to 0 if that is unknown. */
static enum flag_use flag_use_at(struct task *t, uint64_t pc, uint64_t *next)
{
	const struct session *s = t->session;
	const struct isa_effects *effects;
	const struct isa_insn *insn;
	size_t available;
	unsigned length = 0;
	const uint8_t *code = code_pages_at(t, pc, &available);
	enum flag_use use = code ? flag_use_of_code(code, available, &length) : FLAGS_UNKNOWN;

	*next = pc + length;
	if (use != FLAGS_UNKNOWN || !code)
		return use;
	if (facts_glance(dictionary_facts(s->code.dictionary), code, available, pc,
			 s->processor.vendor, &insn, &effects) != FACTS_FOUND ||
	    !effects)
		return FLAGS_UNKNOWN;
	*next = behind(insn, pc);
	if (effects->reads_flags)
		return FLAGS_READ;
	return effects->replaces_flags ? FLAGS_REPLACED : FLAGS_PASSED;
}

/* Returns true if the flags at pc are replaced before they are read. */
static bool are_dead_at(struct task *t, uint64_t pc)
{
	enum { FAR_ENOUGH = 32 }; /* instructions */
	enum flag_use use = FLAGS_PASSED;

	for (unsigned i = 0; pc && use == FLAGS_PASSED && i < FAR_ENOUGH; i++)
		use = flag_use_at(t, pc, &pc);
	return use == FLAGS_REPLACED;
}

/* Clears the blocks whose flags are live: indirect jumps that enter a block count its pending count
 * by `sub`. */
static void find_enterable(struct task *t, struct plan *p)
{
	for (unsigned i = 0; i < p->n_blocks; i++)
		if (plan_is_enterable(p, i) && !are_dead_at(t, p->blocks[i]->trace.pc))
			p->enterable &= ~(UINT32_C(1) << i);
}

void counting_variants_find_dead_flags(struct task *t, struct plan *p)
{
	find_enterable(t, p);
	for (unsigned i = 0; i < p->n_exits; i++)
		p->exits[i].flags_dead = are_dead_at(t, p->exits[i].target);
}

/* ---- variants ---- */

void counting_variants_choose_counter(const struct session *s, struct plan *p)
{
	p->options.no_pending = intervals_are_filtered(s) || s->marker_budgets;
	p->options.excluded = intervals_are_filtered(s) && p->blocks[0]->excluded;
	p->options.marker = p->blocks[0]->marker;
}

/*
 * Returns how many of the superblock's blocks are worth copying: those up to the block after its
 * last guarded indirect jump, whose lookup the copy saves. If the superblock also ends with an
 * indirect jump, which can be extended later, the blocks up to that jump count too. Other copies of
 * code gain nothing, and take room in the instruction caches.
 */
static unsigned blocks_worth_it(const struct translation *superblock)
{
	unsigned n = 0, last = superblock->n_blocks - 1;

	for (unsigned i = 0; i < last; i++)
		if (plan_ends_indirectly(superblock->blocks[i]))
			n = i + 2;
	return n && plan_ends_indirectly(superblock->blocks[last]) ? superblock->n_blocks : n;
}

/* Plans the superblock's first n_blocks as a counting variant. */
static void make_plan(struct task *t, const struct translation *superblock, unsigned n_blocks,
		      struct plan *p)
{
	plan_begin(p, superblock->pc,
		   &(struct plan_options){ .counted = true,
					   .exit_counters = exit_counters_at(t),
					   .function = TF_NONE });
	for (unsigned i = 0; i < n_blocks; i++) {
		if (i && (loop_heads_is_rare(t->session, superblock->blocks[i]->trace.pc) ||
			  superblock->blocks[i]->marker || superblock->blocks[0]->marker))
			break;
		if (i)
			plan_go_on(p, superblock->blocks[i]->trace.pc);
		plan_add(p, superblock->blocks[i]);
	}
	counting_variants_choose_counter(t->session, p);
	plan_end(p);
	counting_variants_find_dead_flags(t, p);
}

int counting_variants_add(struct task *t, struct translation *superblock, uint64_t stopped)
{
	struct cache *c = thread_of(t)->cache;
	struct translation *old = cache_find(c, superblock->pc, true);
	struct plan *p = cache_plan(c);
	unsigned n_blocks = blocks_worth_it(superblock), far_insn;
	int status;

	if (!n_blocks)
		return 0;
	make_plan(t, superblock, n_blocks, p);
	p->options.entered = old && old->prefix;
	status = cache_add(c, t, p, &superblock->counting_variant, &far_insn);
	if (status != CACHE_ADDED) {
		superblock->counting_variant = NULL;
		return status < 0 ? -1 : 0;
	}
	if (old)
		cache_replace(c, old, superblock->counting_variant, stopped);
	return 0;
}

/* Returns true for an extension, which is not found by its pc. */
static bool is_extension(const struct cache *c, const struct translation *superblock)
{
	return cache_find(c, superblock->pc, false) != superblock;
}

int counting_variants_extend(struct task *t, struct translation *superblock, unsigned exit,
			     struct translation *extension, uint64_t stopped)
{
	struct cache *c = thread_of(t)->cache;
	struct plan *p = cache_plan(c);
	unsigned last = superblock->exits[exit].trace.n_blocks - 1u, far_insn;
	int status;

	if (!plan_ends_indirectly(superblock->blocks[last]))
		return 0;
	if (!superblock->counting_variant && !is_extension(c, superblock) &&
	    counting_variants_add(t, superblock, stopped) < 0)
		return -1;
	/* the variant may end earlier, at the head of a loop */
	if (!superblock->counting_variant || superblock->counting_variant->n_blocks <= last)
		return 0;
	make_plan(t, extension, blocks_worth_it(extension), p);
	if (p->n_blocks <= last + 1)
		return 0;
	status = cache_extend(c, t, p, superblock->counting_variant, exit,
			      &extension->counting_variant, &far_insn);
	if (status != CACHE_ADDED)
		extension->counting_variant = NULL;
	return status < 0 ? -1 : 0;
}
