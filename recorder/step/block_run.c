/* SPDX-License-Identifier: MIT */
#include "recorder/step/block_run.h"

#include <string.h>

#include "recorder/core/intervals.h"
#include "recorder/core/opcode.h"
#include "recorder/core/output.h"
#include "recorder/core/region.h"
#include "recorder/core/task.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/functions.h"
#include "recorder/ptrace/extended_state.h"
#include "recorder/ptrace/region_bounds.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/syscalls.h"

enum { DIRECTION_FLAG = 0x400, ZERO_FLAG = 0x40 };
enum { PARTIAL = -1 };

const struct isa_insn *block_run_fact(const struct block_run *run)
{
	return run->block->facts[run->index];
}

const uint8_t *block_run_code(const struct block_run *run)
{
	const struct tf_block *b = &run->block->trace;

	return b->code + b->insns[run->index].offset;
}

static uint64_t pc_of(const struct block_run *run)
{
	const struct tf_block *b = &run->block->trace;

	return b->pc + b->insns[run->index].offset;
}

/* ---- beginning ---- */

static void start(struct block_run *run)
{
	run->index = 0;
	run->repeating = run->gathering = false;
}

int block_run_begin(struct task *t, struct block_run *run, struct undecoded *unknown)
{
	struct session *s = t->session;

	if (block_at(t, t->regs.rip, &run->block, unknown) < 0)
		return -1;
	start(run);
	if (!run->block)
		return 0;
	s->stats.stepped_blocks++;
	memset(run->values, 0, run->block->trace.n_values * sizeof(*run->values));
	if (!region_recording(s) || !run->block->watch.any)
		return 0;
	if (run->block->watch.to && region_begun(s)) {
		run->block = NULL;
		return region_end(t, "to");
	}
	if (run->block->watch.function != TF_NONE)
		functions_enter(t, run->block->watch.function);
	return 0;
}

int block_run_begin_syscall(struct task *t, struct block_run *run)
{
	if (block_at(t, t->regs.rip - SYSCALL_BYTES, &run->block, NULL) < 0)
		return -1;
	if (run->block && run->block->trace.code_size != SYSCALL_BYTES)
		run->block = NULL; /* another thread or process has overwritten it */
	start(run);
	return 0;
}

int block_run_begin_opaque(struct task *t, struct block_run *run, uint64_t pc,
			   const struct undecoded *unknown, unsigned length)
{
	struct session *s = t->session;
	struct code_source source = block_source(t, pc);

	source.code = unknown->bytes;
	source.available = unknown->count;
	start(run);
	run->block = dictionary_find_undecoded(s->code.dictionary, &source, length);
	if (run->block)
		return 0;
	run->block = code_block_opaque(&source, length);
	if (run->block && dictionary_insert(s->code.dictionary, run->block))
		return 0;
	run->block = NULL;
	return output_memory(s->output);
}

/* ---- before an instruction ---- */

bool block_run_changed(const struct task *t, const struct block_run *run)
{
	unsigned length = block_run_fact(run)->length;
	uint8_t now[TF_MAX_INSN_BYTES];

	return task_read_code(t, t->regs.rip, now, length) < length ||
	       memcmp(now, block_run_code(run), length) != 0;
}

static void read_values(struct task *t, struct block_run *run)
{
	struct isa_registers r; /* without the vectors that the instruction does not need */
	const struct isa_insn *fact = block_run_fact(run);
	const struct tf_block *b = &run->block->trace;
	uint64_t values[ISA_MAX_VALUES];

	task_isa_registers(t, &r);
	if (isa_needs_vectors(fact))
		vectors_read(t, &r);
	isa_values(fact, &r, values);
	memcpy(&run->values[b->insns[run->index].first_operand], values,
	       fact->n_operands * sizeof(*values));
	memcpy(&run->values[run->block->extras[run->index]], values + fact->n_operands,
	       (size_t)(fact->n_values - fact->n_operands) * sizeof(*values));
}

/* Returns a rep instruction's counter. */
static uint64_t counter(const struct task *t, const struct block_run *run)
{
	return block_run_fact(run)->address32 ? (uint32_t)t->regs.rcx : t->regs.rcx;
}

void block_run_prepare(struct task *t, struct block_run *run)
{
	const struct isa_insn *fact = block_run_fact(run);

	if (run->repeating || run->gathering)
		return;
	if (fact->n_values && region_recording(t->session))
		read_values(t, run);
	if (fact->flags & TF_INSN_REP) {
		run->repeating = true;
		run->count = counter(t, run);
	}
}

/* ---- writing executed instructions ---- */

/*
 * Fills in the repetitions that a rep instruction has done so far. Returns true if it has done any.
 */
static bool finish_rep(struct task *t, struct block_run *run, unsigned flags)
{
	uint64_t *extra = &run->values[run->block->extras[run->index]];

	run->repeating = false;
	extra[1] = run->count - counter(t, run);
	extra[2] = flags | (t->regs.eflags & DIRECTION_FLAG ? TF_REP_DOWN : 0u) |
		   (t->regs.eflags & ZERO_FLAG ? TF_REP_ZF : 0u);
	return extra[1];
}

/* Leaves the block. Another task may have its turn between two blocks. */
static struct code_block *leave_block(struct task *t, struct block_run *run)
{
	struct code_block *b = run->block;

	run->block = NULL;
	schedule_use_turn(t->session, 1);
	return b;
}

/* Adds the block's superblock to the trace. Returns how many of the values are its slots, or -1. */
static int publish(struct task *t, struct code_block *b, uint64_t *values)
{
	struct session *s = t->session;

	if (dictionary_publish_path(s->code.dictionary, b, s->output) < 0)
		return -1;
	return (int)dictionary_slots(s->code.dictionary, b, values, t->regs.rsp);
}

/* Adds an execution of the block to the present interval, see intervals.h. `exit` is PARTIAL or the
 * exit's number. */
static int count_execution(struct task *t, struct code_block *b, int exit, unsigned executed)
{
	struct session *s = t->session;

	if (!executed)
		return 0;
	if (dictionary_publish_path(s->code.dictionary, b, s->output) < 0)
		return -1;
	return intervals_add(t, b->first_exit + (exit == PARTIAL ? b->n_exits : (unsigned)exit),
			     executed, 1);
}

/* Writes a block that was left after its first `executed` instructions. */
static int write_partial(struct task *t, struct block_run *run, unsigned executed)
{
	struct code_block *b = leave_block(t, run);
	int n_slots;

	if (t->session->intervals && count_execution(t, b, PARTIAL, executed) < 0)
		return -1;
	if (!executed || !region_recording(t->session))
		return 0;
	n_slots = publish(t, b, run->values);
	if (n_slots < 0)
		return -1;
	return output_partial(t->session->output, t, b->path, executed, run->values,
			      (unsigned)n_slots);
}

/* Writes a block that was executed completely and left by an exit. */
static int write_whole(struct task *t, struct block_run *run, unsigned exit)
{
	struct code_block *b = leave_block(t, run);
	int n_slots;

	if (t->session->intervals && count_execution(t, b, (int)exit, b->trace.n_insns) < 0)
		return -1;
	if (!region_recording(t->session))
		return 0;
	n_slots = publish(t, b, run->values);
	if (n_slots < 0)
		return -1;
	return output_exec(t->session->output, t, b->first_exit + exit, b->trace.n_insns,
			   run->values, (unsigned)n_slots);
}

int block_run_leave(struct task *t, struct block_run *run)
{
	unsigned executed = run->index;

	if (!run->block)
		return 0;
	if (run->repeating && finish_rep(t, run, TF_REP_INTERRUPTED))
		executed++;
	t->progress += executed;
	return write_partial(t, run, executed);
}

/* ---- after an instruction ---- */

static bool has_lanes(const struct isa_insn *fact)
{
	return fact->n_operands && fact->operands[0].trace.form == TF_LANES;
}

bool block_run_goes_on(const struct task *t, struct block_run *run)
{
	bool stays = t->regs.rip == pc_of(run);

	/* If a later lane faults on a page, the trap of the earlier lanes comes first. */
	run->gathering = !run->repeating && stays && has_lanes(block_run_fact(run));
	return stays && (run->repeating || run->gathering);
}

/* Handles the events that may follow a block that was executed to its end. */
static int after_block(struct task *t, const struct isa_insn *last)
{
	struct session *s = t->session;

	if (control_words_record(t, last->loads_control_word) < 0)
		return -1;
	if (syscalls_segments(t) < 0)
		return -1;
	if (region_recording(s) &&
	    (last->end == TF_END_RETURN || last->end == TF_END_INDIRECT_JUMP) &&
	    functions_returned(t) < 0)
		return -1;
	if (region_recording(s) && output_full(s))
		return region_end(t, "size");
	return s->error.is_set ? -1 : 0;
}

enum { ELSEWHERE = -1 };

/* Returns the exit by which the block was left, or ELSEWHERE. The run is at the block's last
 * instruction. */
static int exit_taken(const struct task *t, const struct block_run *run)
{
	const struct tf_block *b = &run->block->trace;
	uint64_t next = b->pc + b->code_size, rip = t->regs.rip;

	switch ((enum tf_end)b->end) {
	case TF_END_CONDITIONAL:
		if (rip != next && rip != b->target)
			return ELSEWHERE;
		return rip != next || (b->target == next &&
				       opcode_branch_taken(block_run_code(run),
							   block_run_fact(run)->length, &t->regs));
	case TF_END_JUMP:
	case TF_END_CALL: return rip == b->target ? 0 : ELSEWHERE;
	case TF_END_INDIRECT_JUMP:
	case TF_END_INDIRECT_CALL:
	case TF_END_RETURN:
	case TF_END_SYSCALL: return 0;
	case TF_END_OPAQUE: return rip != next;
	case TF_END_NONE:
	case TF_END_TRAP:
	default: return rip == next ? 0 : ELSEWHERE;
	}
}

static int end_block(struct task *t, struct block_run *run)
{
	const struct isa_insn *last = block_run_fact(run);
	int exit = exit_taken(t, run);

	run->index++;
	if (exit == ELSEWHERE)
		return write_partial(t, run, run->index);
	return write_whole(t, run, (unsigned)exit) < 0 ? -1 : after_block(t, last);
}

int block_run_advance(struct task *t, struct block_run *run)
{
	if (run->repeating)
		finish_rep(t, run, 0);
	if (run->index + 1u == run->block->trace.n_insns)
		return end_block(t, run);
	run->index++;
	return t->regs.rip == pc_of(run) ? 0 : write_partial(t, run, run->index);
}
