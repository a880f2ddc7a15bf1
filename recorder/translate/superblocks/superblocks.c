/* SPDX-License-Identifier: MIT */
/*
 * A counting variant ends where another one begins. It also ends at a block inside another one, and
 * is linked to that block (struct entry), if the pending count can be made the same there. Little
 * code is thus translated twice, which takes most of the time of programs that start. The ends of
 * loops are excepted, as an entry there would count in each iteration: they get superblocks of
 * their own. A shared entry adds counting to every incoming edge, so it is enabled only above
 * MUCH_CODE. Superblocks with entries are not extended, and the instruction from which flags are
 * recomputed stands after the last entry.
 *
 * Near a limit the program runs in bounded superblocks (superblock_within()) of about 32
 * instructions, each of which ends with a stop. No other superblock is linked with them, and they
 * execute less than what is left. Single instructions are stepped only where no such superblock is
 * short enough.
 */
#include "recorder/translate/superblocks/superblocks.h"

#include "recorder/core/intervals.h"
#include "recorder/core/loop_heads.h"
#include "recorder/core/output.h"
#include "recorder/core/phase_times.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/functions.h"
#include "recorder/ptrace/polling.h"
#include "recorder/translate/cache/versions.h"
#include "recorder/translate/plan/static_prediction.h"
#include "recorder/translate/superblocks/block_to_translate.h"
#include "recorder/translate/superblocks/counting_variants.h"
#include "recorder/translate/superblocks/planning.h"
#include "recorder/translate/superblocks/saved_superblocks.h"
#include "recorder/translate/thread/burst_sampling.h"
#include "recorder/translate/thread/thread.h"

enum {
	BRIEF_INSNS = 32, /* of a bounded superblock, unless its first block has more */
	MUCH_CODE = 2048, /* superblocks: from here on, translating code twice takes too long */
	LEAST_BRIEF = 8,  /* instructions left that make a bounded superblock worth looking for */
	LOOK_AHEAD = 16,  /* successive calls whose returns are translated ahead */
	LOOP_AHEAD = 4,   /* number of calls that the code after a loop counts as */
	ROOM_AHEAD = 1 << 20, /* bytes of the dictionary that translating ahead may take */
};

static bool has_block(const struct plan *p, const struct code_block *b)
{
	for (unsigned i = 0; i < p->n_blocks; i++)
		if (p->blocks[i] == b)
			return true;
	return false;
}

/* Returns where the program will most likely continue after the block, or 0. A pointer in memory
 * predicts its present target, unless the dynamic linker has yet to look it up. */
static uint64_t predicted(const struct task *t, struct prediction *f, const struct code_block *b)
{
	uint64_t next = predict_next(f, b), pointer = predict_pointer(b), target = 0;

	if (!pointer || task_read(t, pointer, &target, sizeof(target)) < sizeof(target))
		return next;
	return target == b->trace.pc + b->trace.code_size ? 0 : target;
}

/* Returns whether a counting variant continues with the block. It goes around its own loop, and
 * ends where there is another one. A bounded one ends when it is long enough, and has no code that
 * may change. A watched block is one of its own. */
static bool counted_goes_on(const struct session *s, const struct cache *c, const struct plan *p,
			    const struct code_block *b)
{
	if (p->n_blocks && (b->marker || p->blocks[0]->marker))
		return false;
	if (p->options.bounded)
		return !b->may_change &&
		       (!p->n_blocks || p->n_insns + b->trace.n_insns <= BRIEF_INSNS);
	if (!p->n_blocks)
		return true;
	if (loop_heads_is_rare(s, b->trace.pc))
		return false;
	if (b == p->blocks[0])
		return true;
	return !has_block(p, b) && !cache_find(c, b->trace.pc, true);
}

static bool leads_to(const struct plan *p, uint64_t pc)
{
	for (unsigned i = 0; i < p->n_exits; i++)
		if (p->exits[i].target == pc)
			return true;
	return false;
}

/* Returns the blocks that others may be linked to: no return after them belongs to a call before
 * them, and no loop begins there. A link to such a block has to add the pending count, which a
 * private copy may not need, so small programs get private copies. */
static uint32_t enterable(const struct plan *p, const unsigned *depths)
{
	unsigned lowest = UINT32_MAX;
	uint32_t blocks = 0;

	for (unsigned i = p->n_blocks; i-- > 1;) {
		if (depths[i] <= lowest) {
			lowest = depths[i];
			if (!leads_to(p, p->blocks[i]->trace.pc))
				blocks |= UINT32_C(1) << i;
		}
	}
	return blocks;
}

/* Plans a counting variant along the predicted successors. */
static int make_counted_plan(struct task *t, uint64_t pc, const struct plan_options *options,
			     unsigned max_blocks, struct plan *p)
{
	struct prediction f = { .depth = 0 };
	unsigned depths[PLAN_COLD_BLOCKS];
	struct code_block *b;
	uint64_t next = pc;

	plan_begin(p, pc, options);
	while (next && p->n_blocks < max_blocks) {
		if (block_to_translate(t, next, &b) < 0)
			return -1;
		if (!b || !plan_fits(p, b) || !plan_is_alike(t->session, p, b) ||
		    !counted_goes_on(t->session, thread_of(t)->cache, p, b))
			break;
		if (p->n_blocks)
			plan_go_on(p, next);
		depths[p->n_blocks] = f.depth;
		plan_add(p, b);
		next = predicted(t, &f, b);
	}
	if (!p->n_blocks)
		return 0;
	counting_variants_choose_counter(t->session, p);
	plan_end(p);
	/* An exit's counter stands for the whole superblock up to the exit. */
	if (!options->bounded && !options->exit_counters && !p->checked &&
	    cache_superblocks(thread_of(t)->cache) >= MUCH_CODE)
		p->enterable = enterable(p, depths);
	counting_variants_find_dead_flags(t, p);
	return 0;
}

/* Plans a superblock of at most max_blocks blocks. The plan has no blocks if the code at pc has to
 * be stepped. */
static int make_plan(struct task *t, uint64_t pc, unsigned max_blocks, struct plan *p)
{
	struct session *s = t->session;
	struct code_block *b;
	uint64_t next;

	p->n_blocks = 0;
	if (block_to_translate(t, pc, &b) < 0)
		return -1;
	if (!b)
		return 0;
	plan_begin_recording(p, s, pc, b->watch.function);
	plan_add(p, b);
	next = plan_next(p);
	while (next && p->n_blocks < max_blocks) {
		if (block_to_translate(t, next, &b) < 0)
			return -1;
		if (!b || b->watch.any || has_block(p, b) || !plan_fits(p, b) ||
		    !plan_is_alike(s, p, b))
			break;
		plan_go_on(p, next);
		plan_add(p, b);
		next = plan_next(p);
	}
	plan_end(p);
	return 0;
}

static int make_superblock(struct task *t, struct cache *c, uint64_t pc,
			   const struct plan_options *options, struct translation **superblock)
{
	unsigned max_blocks = PLAN_COLD_BLOCKS, far_insn = 0;
	struct plan *p = cache_plan(c);
	int status;

	do {
		status = options->counted ? make_counted_plan(t, pc, options, max_blocks, p)
					  : make_plan(t, pc, max_blocks, p);
		if (status < 0 || !p->n_blocks)
			break;
		status = cache_add(c, t, p, superblock, &far_insn);
		if (status == CACHE_FAR)
			max_blocks = plan_block_of(p, far_insn);
	} while (status == CACHE_FAR && max_blocks);
	if (status == CACHE_ADDED && options->counted && loop_heads_tier(t->session, pc) &&
	    !cache_arm(c, pc))
		return output_memory(t->session->output);
	thread_of(t)->crowded |= status == CACHE_CROWDED;
	return status < 0 ? -1 : 0;
}

static bool is_call(const struct code_block *b)
{
	return b->trace.end == TF_END_CALL || b->trace.end == TF_END_INDIRECT_CALL;
}

static bool ends_loop(const struct code_block *b)
{
	return b->trace.end == TF_END_CONDITIONAL && b->trace.target <= b->trace.pc;
}

static int look_ahead(struct task *t, struct cache *c, const struct translation *superblock,
		      int depth);

static int make_ahead(struct task *t, struct cache *c, uint64_t pc, bool entered, int depth,
		      struct translation **superblock)
{
	bool counted = burst_only_counts(t);
	const struct plan_options options = { .counted = counted,
					      .entered = entered && counted,
					      .exit_counters = exit_counters_at(t),
					      .function = TF_NONE };
	int status = make_superblock(t, c, pc, &options, superblock);

	return status == 0 && *superblock ? look_ahead(t, c, *superblock, depth) : status;
}

/*
 * Translates ahead where a superblock's calls will most likely return to and the code after its
 * loops, if the task has to stop for new code. Half of these translations are reached. Of the other
 * targets of conditional branches one in ten is reached, so they are not translated ahead.
 */
static int look_ahead(struct task *t, struct cache *c, const struct translation *superblock,
		      int depth)
{
	for (unsigned i = 0; depth > 0 && i < superblock->n_blocks && !cache_is_full(c); i++) {
		const struct code_block *b = superblock->blocks[i];
		uint64_t pc = b->trace.pc + b->trace.code_size;
		bool call = is_call(b);
		int deeper = call ? depth - 1 : depth - LOOP_AHEAD;
		struct translation *behind;

		if (!call && !ends_loop(b))
			continue;
		behind = cache_find(c, pc, superblock->counted);
		if (!behind && make_ahead(t, c, pc, call, deeper, &behind) < 0)
			return -1;
		if (behind && call)
			cache_link_indirect(c, behind);
	}
	return 0;
}

/* The ways in which control enters a superblock. */
enum coming { BY_EXIT, BY_INDIRECT_JUMP, AROUND_LOOP };

static int find_or_make(struct task *t, uint64_t pc, enum coming coming,
			struct translation **superblock)
{
	struct cache *c = thread_of(t)->cache;
	bool without_stop = !t->session->schedule.serial && poll_is_on(t->session);
	bool counted = burst_only_counts(t);
	enum record_phase before;
	double began;
	int status;

	*superblock = cache_find(c, pc, counted);
	if (*superblock && (*superblock)->inside && coming == AROUND_LOOP)
		*superblock = NULL;
	if (!*superblock)
		*superblock = versions_find(t, c, pc, counted);
	if (*superblock)
		return 0;
	before = phase_times_begin(t->session, RECORD_TRANSLATE);
	began = session_now();
	status = counted ? 0 : saved_superblocks_load(t, pc);
	*superblock = counted ? NULL : cache_find(c, pc, false);
	if (status == 0 && !*superblock)
		status = make_ahead(t, c, pc, coming == BY_INDIRECT_JUMP,
				    without_stop || output_room(t->session->output) < ROOM_AHEAD
					    ? 0
					    : LOOK_AHEAD,
				    superblock);
	t->session->stats.translating += session_now() - began;
	phase_times_end(t->session, before);
	return status;
}

int superblock_at(struct task *t, uint64_t pc, struct translation **superblock)
{
	return find_or_make(t, pc, BY_EXIT, superblock);
}

int superblock_behind(struct task *t, const struct translation *from, unsigned exit,
		      struct translation **superblock)
{
	return find_or_make(t, from->exits[exit].target,
			    translation_leads_back(from, exit) ? AROUND_LOOP : BY_EXIT, superblock);
}

int superblock_jumped_to(struct task *t, uint64_t pc, struct translation **superblock)
{
	return find_or_make(t, pc, BY_INDIRECT_JUMP, superblock);
}

int superblock_within(struct task *t, uint64_t pc, uint64_t n_insns,
		      struct translation **superblock)
{
	const struct plan_options bounded = { .counted = true,
					      .bounded = true,
					      .exit_counters = exit_counters_at(t),
					      .function = TF_NONE };
	struct cache *c = thread_of(t)->cache;
	enum record_phase before = phase_times_begin(t->session, RECORD_TRANSLATE);
	double began = session_now();
	int status = 0;

	*superblock = cache_find_bounded(c, pc);
	if (!*superblock && n_insns > LEAST_BRIEF)
		status = make_superblock(t, c, pc, &bounded, superblock);
	if (*superblock && (*superblock)->n_insns >= n_insns)
		*superblock = NULL;
	t->session->stats.translating += session_now() - began;
	phase_times_end(t->session, before);
	return status;
}
