/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "recorder/ptrace/extended_state.h"
#include "tests/unit/recorder/all_facts.h"
#include "tests/unit/recorder/translated/box.h"

static bool can_run(const struct code_block *b)
{
	return b && plan_can_have(b);
}

struct code_block *block_at_pc(uint64_t pc)
{
	struct code_source source = { .pc = pc,
				      .code = (const uint8_t *)pc,
				      .available = code_until_function(pc),
				      .facts = all_facts() };
	struct code_block **b;

	if (pc - CODE >= CODE_BYTES)
		return NULL;
	b = &box.blocks[pc - CODE];
	while (!*b && source.available) {
		if (code_block_build(&source, b) != CODE_BLOCK)
			return NULL;
		(*b)->may_change = pc % 7 == 0;
		if (can_run(*b))
			break;
		source.available = (*b)->trace.insns[(*b)->trace.n_insns - 1].offset;
		*b = NULL;
	}
	return *b;
}

static void note_boundary(unsigned executed)
{
	struct boundary *b = &box.native[box.n++];
	const struct code_block *block = block_at_pc(box.task.regs.rip);
	struct user_fpregs_struct fp;

	b->regs = box.task.regs;
	b->executed = executed;
	b->top = 0;
	if (b->regs.rsp - DATA <= DATA_BYTES - 8)
		memcpy(&b->top, (void *)b->regs.rsp, 8);
	memcpy(b->memory, (void *)DATA, DATA_BYTES);
	ck_assert_int_eq(ptrace(PTRACE_GETFPREGS, box.task.tid, NULL, &fp), 0);
	b->x87_control = fp.cwd;
	b->mxcsr = fp.mxcsr;
	free(b->wide);
	b->wide = NULL;
	if (block && isa_needs_vectors(block->facts[0])) {
		b->wide = calloc(1, sizeof(*b->wide));
		vectors_read(&box.task, b->wide);
	}
}

void run_native(const struct random_code *code)
{
	unsigned executed = 0;
	bool repeating = false;

	box.n = 0;
	box_start(code);
	note_boundary(0);
	while (box.n <= STEPS) {
		uint64_t pc = box.task.regs.rip;

		if (!block_at_pc(pc))
			break;
		if (!repeating)
			box.before[executed++] = box.n - 1;
		if (!box_step()) {
			box.faulted = true;
			break;
		}
		repeating = box.task.regs.rip == pc &&
			    block_at_pc(pc)->facts[0]->flags & TF_INSN_REP;
		note_boundary(executed);
		box.end[executed - 1] = box.n - 1;
	}
}
