/* SPDX-License-Identifier: MIT */
/* Counts instructions to blocks, one execution of a basic block after the other. */
#include <stdlib.h>

#include "analyzers/bbv/homes.h"
#include "analyzers/bbv/internal.h"
#include "analyzers/common/leaders.h"
#include "cli/common/checked.h"

struct bbv_start bbv_start_at(const struct tf_block *block, unsigned index)
{
	uint16_t offset = block->insns[index].offset;

	return (struct bbv_start){ block->pc + offset, block->module_offset + offset,
				   block->module };
}

/*
 * Returns the start of the block that has a basic block's first instruction, if none is under way.
 */
static struct bbv_start start_of(const struct bbv *bbv, const struct tf_block *block)
{
	return bbv->setup.homes ? bbv_home(bbv->setup.homes, block) : bbv_start_at(block, 0);
}

static void add_special(struct code *code, struct bbv_special special)
{
	CHECKED_RESERVE(code->specials, code->specials.count + 1);
	code->specials.at[code->specials.count++] = special;
}

static void prepare(const struct bbv_setup *setup, struct code *code, const struct tf_block *block)
{
	struct bbv_special special;

	for (uint16_t i = 0; i < block->n_insns; i++) {
		if (setup->rules == BBV_CFG && leads(setup->leaders, block, i))
			add_special(code, (struct bbv_special){ i, BBV_LEADER, 0 });
		if (bbv_classify(block, i, setup->rules, &special))
			add_special(code, special);
	}
	code->ends = bbv_block_ends(block, setup->rules);
	code->known = true;
}

/* ---- instructions ------------------------------------------------------------------------ */

static void learn_share(struct bbv *bbv, uint32_t id, uint64_t n)
{
	struct share *last = bbv->shares.count ? &bbv->shares.at[bbv->shares.count - 1] : NULL;

	if (bbv->shares.count > bbv->first_new && last->id == id) {
		last->count += (uint32_t)n;
		return;
	}
	CHECKED_RESERVE(bbv->shares, bbv->shares.count + 1);
	bbv->shares.at[bbv->shares.count++] = (struct share){ id, (uint32_t)n };
}

/* Counts n to the block under way; the interval may end after the last of them. */
static inline void bump(struct bbv_thread *t, uint64_t n)
{
	bbv_add(t, t->current, n);
	t->totals.instructions += n;
	t->length += n;
	if (t->length >= t->limit)
		bbv_end_interval(t);
}

static void close_rep(struct bbv_thread *t)
{
	t->totals.repetitions += t->rep;
	t->totals.reps++;
	t->rep = 0;
}

/* Counts n instructions, not reps, to the block under way. */
static inline void count(struct bbv_thread *t, uint64_t n)
{
	if (t->learning)
		learn_share(t->bbv, t->current, n + !!t->rep);
	if (t->rep) {
		close_rep(t);
		bump(t, 2);
		n--;
	}
	while (n && t->length + n >= t->limit) {
		uint64_t part = t->length + 1 < t->limit ? t->limit - t->length : 1;

		bump(t, part);
		n -= part;
	}
	if (n)
		bump(t, n);
}

static void enter(struct bbv_thread *t, uint32_t id)
{
	t->current = id;
	t->has = 0;
	t->may_have = t->bbv->setup.rules == BBV_EXP_BBV ? BBV_MAX_INSNS : UINT32_MAX;
}

/* Makes sure that instruction `index` of block is in a block. */
static inline void enter_at(struct bbv_thread *t, struct code *code, const struct tf_block *block,
			    unsigned index)
{
	if (t->current)
		return;
	if (index == 0 && code->id == 0)
		code->id = bbv_id(&t->bbv->ids, start_of(t->bbv, block));
	enter(t, index ? bbv_id(&t->bbv->ids, bbv_start_at(block, index)) : code->id);
}

static void leave_after(struct bbv_thread *t, unsigned n)
{
	t->has += n;
	if (t->has >= t->may_have)
		t->current = 0;
}

/* ---- what is special --------------------------------------------------------------------- */

static void learn_rep(struct bbv *bbv, uint8_t condition)
{
	CHECKED_RESERVE(bbv->reps, bbv->reps.count + 1);
	bbv->reps.at[bbv->reps.count++] = condition;
}

/*
 * Executes a rep by exp-bbv's rules. From its second iteration on control enters the rep itself,
 * which makes it a block.
 */
static void execute_rep(struct bbv_thread *t, struct bbv_start start, uint64_t iterations)
{
	if (t->last_rep != start.pc && t->rep) {
		close_rep(t);
		t->totals.instructions++;
		t->length++;
		t->varies = true;
	}
	if (t->rep + iterations > 1)
		bbv_id(&t->bbv->ids, start);
	else
		t->varies = true;
	t->last_rep = start.pc;
	t->rep += iterations;
}

/* Executes a rep that exp-bbv does not recognize: each iteration is an instruction. */
static void execute_unseen(struct bbv_thread *t, struct bbv_start start, uint64_t iterations)
{
	count(t, 1);
	if (iterations > 1) {
		enter(t, bbv_id(&t->bbv->ids, start));
		count(t, iterations - 1);
	}
	t->varies = true;
	t->current = 0;
}

const uint64_t *bbv_extras_of(const struct tf_block *block, const struct tf_insn *insn,
			      struct extras extras)
{
	const uint64_t *extra = NULL;

	if (!insn->n_operands)
		return NULL;
	if (extras.queue) {
		extra = *extras.queue;
		*extras.queue += 3;
	} else if (extras.values) {
		extra = extras.values + block->operands[insn->first_operand].extra;
	}
	return extra;
}

static void execute_any_rep(struct bbv_thread *t, const struct tf_block *block,
			    const struct bbv_special *special, struct extras extras)
{
	struct bbv_start start = bbv_start_at(block, special->index);
	const uint64_t *extra = bbv_extras_of(block, &block->insns[special->index], extras);

	t->varies |= !extra && extras.queue;
	if (t->bbv->setup.rules != BBV_EXP_BBV) {
		t->totals.reps++;
		t->totals.repetitions += extra ? extra[1] : 1;
		count(t, 1);
		if (t->learning)
			learn_rep(t->bbv, 0);
	} else if (special->kind == BBV_REP_LODS) {
		execute_rep(t, start, 1);
		t->varies = true;
		leave_after(t, 1);
	} else if (special->kind == BBV_REP_UNSEEN) {
		execute_unseen(t, start, bbv_iterations(special->condition, extra));
	} else {
		execute_rep(t, start, bbv_iterations(special->condition, extra));
		if (t->learning)
			learn_rep(t->bbv, special->condition);
		t->current = 0;
	}
}

/* Executes a block's special instructions. ordinal: that of the block's first instruction. */
static void execute_special(struct bbv_thread *t, const struct tf_block *block,
			    const struct bbv_special *special, struct extras extras,
			    uint64_t ordinal)
{
	switch (special->kind) {
	case BBV_REP:
	case BBV_REP_LODS:
	case BBV_REP_UNSEEN: execute_any_rep(t, block, special, extras); break;
	case BBV_FLDCW:
		t->totals.fldcw++;
		count(t, 1);
		leave_after(t, 1);
		break;
	case BBV_VERBOSE:
		t->may_have = BBV_MAX_VERBOSE_INSNS;
		count(t, 1);
		leave_after(t, 1);
		break;
	case BBV_RESTORES:
		t->restored = ordinal + special->index + 1;
		t->varies = true;
		count(t, 1);
		leave_after(t, 1);
		break;
	default:
		count(t, 1);
		t->current = 0;
		break;
	}
}

/*
 * Applies the marks before instruction `at`; returns the index of the next mark's instruction, at
 * most limit.
 */
static unsigned pass_marks(struct bbv_thread *t, uint64_t ordinal, unsigned at, unsigned limit)
{
	while (t->next_mark < t->marks.count && t->marks.at[t->next_mark].ordinal <= ordinal + at) {
		const struct mark *mark = &t->marks.at[t->next_mark++];

		if (mark->cut && t->length)
			bbv_end_interval(t);
		else if (!mark->cut && mark->ordinal != t->restored)
			t->current = 0;
	}
	if (t->next_mark == t->marks.count)
		t->next_mark = t->marks.count = 0;
	else if (t->marks.at[t->next_mark].ordinal < ordinal + limit)
		limit = (unsigned)(t->marks.at[t->next_mark].ordinal - ordinal);
	return limit;
}

/* ---- basic blocks ------------------------------------------------------------------------ */

void bbv_count_block(struct bbv_thread *t, const struct tf_block *block, unsigned executed,
		     bool taken, struct extras extras, uint64_t ordinal)
{
	struct code *code = &t->bbv->code[block->id];
	const struct bbv_special *special, *end;
	unsigned at = 0;

	if (!code->known)
		prepare(&t->bbv->setup, code, block);
	special = code->specials.at;
	end = special + code->specials.count;
	if (block->pc != t->next_pc)
		t->current = 0;
	while (at < executed) {
		unsigned limit = executed;

		if (special < end && special->index == at && special->kind == BBV_LEADER) {
			t->current = 0;
			special++;
		}
		if (t->marks.count)
			limit = pass_marks(t, ordinal, at, limit);
		enter_at(t, code, block, at);
		if (special < end && special->index == at) {
			execute_special(t, block, special++, extras, ordinal);
			at++;
			continue;
		}
		if (special < end && special->index < limit)
			limit = special->index;
		if (limit - at > t->may_have - t->has)
			limit = at + t->may_have - t->has;
		count(t, limit - at);
		leave_after(t, limit - at);
		at = limit;
	}
	t->rest = NULL;
	if (at < block->n_insns) {
		t->next_pc = block->pc + block->insns[at].offset;
		t->rest = block;
		t->rest_index = at;
		return;
	}
	t->next_pc = block->pc + block->code_size;
	if (code->ends || taken)
		t->current = 0;
}

void bbv_execute(struct bbv_thread *t, const struct tf_block_exec *exec, uint64_t ordinal)
{
	if (t->in_head) {
		bbv_head_block(t, exec, ordinal);
		return;
	}
	bbv_count_block(t, exec->block, exec->executed, exec->outcome == TF_TAKEN,
			(struct extras){ .values = exec->values }, ordinal);
}

/* ---- what happens between executions ----------------------------------------------------- */

void bbv_fault(struct bbv_thread *t, uint64_t pc)
{
	struct bbv_start start = { pc, 0, TF_NONE };
	bool is_rep = t->rep && t->last_rep == pc; /* it had done some repetitions */

	if (t->in_head) {
		bbv_head_event(t, HEAD_FAULT, pc, 0);
		return;
	}
	if (t->bbv->setup.rules != BBV_EXP_BBV) {
		t->current = 0;
		return;
	}
	if (pc != t->next_pc)
		t->current = 0;
	else if (t->rest)
		start = bbv_start_at(t->rest, t->rest_index);
	if (pc == t->next_pc && t->rest && t->rest->insns[t->rest_index].flags & TF_INSN_REP)
		is_rep = true;
	if (!t->current)
		enter(t, bbv_id(&t->bbv->ids, start));
	if (is_rep)
		execute_rep(t, start, 1);
	else
		count(t, 1);
	t->current = 0;
}

static void add_mark(struct bbv_thread *t, struct mark mark)
{
	CHECKED_RESERVE(t->marks, t->marks.count + 1);
	t->marks.at[t->marks.count++] = mark;
}

void bbv_control_word(struct bbv_thread *t, uint64_t ordinal, uint32_t which, uint32_t value)
{
	bool warns;

	if (t->bbv->setup.rules != BBV_EXP_BBV)
		return;
	if (t->in_head) {
		bbv_head_event(t, HEAD_CONTROL_WORD, ordinal, (uint64_t)which << 32 | value);
		return;
	}
	if (which == TF_X87_CONTROL_WORD) /* exceptions unmasked, or not extended precision */
		warns = (value & 0x3f) != 0x3f || (value >> 8 & 3) != 3;
	else /* exceptions unmasked, flush to zero, denormals are zero */
		warns = (value & 0x1f80) != 0x1f80 || value & 0x8040;
	if (warns)
		add_mark(t, (struct mark){ ordinal, false });
}

void bbv_cut(struct bbv_thread *t, uint64_t ordinal)
{
	if (t->in_head)
		bbv_head_event(t, HEAD_CUT, ordinal, 0);
	else
		add_mark(t, (struct mark){ ordinal, true });
}
