/* SPDX-License-Identifier: MIT */
#include "recorder/translate/superblocks/chains.h"

#include "recorder/core/region.h"
#include "recorder/translate/superblocks/counting_variants.h"
#include "recorder/translate/superblocks/planning.h"
#include "recorder/translate/thread/thread.h"

/* Plans the chain's blocks as one superblock, as far as they fit. */
static void plan_chain(struct task *t, const struct cache *c, const struct chain *chain,
		       unsigned max_blocks, struct plan *p)
{
	const struct session *s = t->session;

	plan_begin_recording(p, s, chain->blocks[0]->trace.pc, chain->blocks[0]->watch.function);
	p->options.hot = hot_paths_are_long(s);
	plan_add(p, chain->blocks[0]);
	for (unsigned i = 1; i < chain->n_blocks && i < max_blocks; i++) {
		struct code_block *b = chain->blocks[i];

		if (!plan_fits(p, b) || !plan_is_alike(s, p, b) ||
		    !plan_leads_to(p->blocks[p->n_blocks - 1], b->trace.pc) ||
		    cache_watches_return(c, b->trace.pc))
			break;
		plan_go_on(p, b->trace.pc);
		plan_add(p, b);
	}
	plan_end(p);
}

/* Returns true if the chain can be made a superblock: its head is not retired, and an extension
 * from inside the head has no code that is compared. */
static bool is_usable(const struct chain *chain)
{
	for (unsigned i = 0; chain->n_shared && i < chain->n_blocks; i++)
		if (chain->blocks[i]->may_change)
			return false;
	return chain->head->status == TRANSLATION_LIVE;
}

/*
 * Records the targets of the plan's guarded jumps, which must not become watched returns unnoticed.
 */
static bool note_guards(struct cache *c, const struct plan *p)
{
	for (unsigned i = 0; i < p->n_insns; i++)
		if (p->insns[i].guard && !cache_note_guard(c, p->insns[i].guard))
			return false;
	return true;
}

/* Puts the chain's superblock, which has been translated, into use. */
static int put_into_use(struct task *t, const struct chain *chain, struct translation *superblock,
			uint64_t stopped)
{
	const struct session *s = t->session;
	bool counts = region_counting(s) || s->options->period.instructions || s->points;

	t->session->stats.extended++;
	if (chain->n_shared)
		return counts ? counting_variants_extend(t, chain->head, chain->exit, superblock,
							 stopped)
			      : 0;
	superblock->generation = (uint8_t)(chain->head->generation + 1);
	superblock->extension_done = superblock->generation == LAST_GENERATION;
	cache_replace(thread_of(t)->cache, chain->head, superblock, stopped);
	return counts ? counting_variants_add(t, superblock, stopped) : 0;
}

int chain_translate(struct task *t, const struct chain *chain, struct translation **superblock)
{
	struct cache *c = thread_of(t)->cache;
	unsigned max_blocks = PLAN_BLOCKS, far_insn = 0;
	struct plan *p = cache_plan(c);
	int status;

	do {
		plan_chain(t, c, chain, max_blocks, p);
		if (p->n_blocks <= chain->n_shared || !note_guards(c, p))
			return CACHE_FULL;
		if (chain->n_shared)
			status = cache_extend(c, t, p, chain->head, chain->exit, superblock,
					      &far_insn);
		else
			status = cache_add(c, t, p, superblock, &far_insn);
		if (status == CACHE_FAR)
			max_blocks = plan_block_of(p, far_insn);
	} while (status == CACHE_FAR && max_blocks);
	return status;
}

int superblock_from_chain(struct task *t, const struct chain *chain, uint64_t stopped)
{
	struct translation *superblock;
	int status;

	if (!is_usable(chain) || chain->n_blocks < 2)
		return 0;
	status = chain_translate(t, chain, &superblock);
	if (status != CACHE_ADDED)
		return status < 0 ? -1 : 0;
	return put_into_use(t, chain, superblock, stopped);
}
