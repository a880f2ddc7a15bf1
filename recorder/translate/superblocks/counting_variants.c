/* SPDX-License-Identifier: MIT */
#include "recorder/translate/superblocks/counting_variants.h"

#include "recorder/translate/superblocks/dead_flags.h"

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
		   &(struct plan_options){ .counted = true, .function = TF_NONE });
	for (unsigned i = 0; i < n_blocks; i++) {
		if (i)
			plan_go_on(p, superblock->blocks[i]->trace.pc);
		plan_add(p, superblock->blocks[i]);
	}
	plan_end(p);
	dead_flags_find(t, p);
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
	if (!superblock->counting_variant)
		return 0;
	make_plan(t, extension, blocks_worth_it(extension), p);
	status = cache_extend(c, t, p, superblock->counting_variant, exit,
			      &extension->counting_variant, &far_insn);
	if (status != CACHE_ADDED)
		extension->counting_variant = NULL;
	return status < 0 ? -1 : 0;
}
