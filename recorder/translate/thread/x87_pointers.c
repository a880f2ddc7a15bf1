/* SPDX-License-Identifier: MIT */
/*
 * Processors of AMD keep the pointers over a stop only while an x87 exception is pending: natively as
 * well, a program may find 0 at any time. Where the superblock itself has the last x87 instruction, it is
 * told what it mostly finds.
 */
#include "recorder/translate/thread/x87_pointers.h"

#include <string.h>
#include <sys/ptrace.h>

#include "recorder/program/x87.h"
#include "recorder/core/task.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/thread/origin.h"

/* The program's address of the x87 instruction, of whose address in the cache the low bytes are
 * known; 0: it is not there. */
static uint64_t program_pc(const struct task *t, uint64_t low, unsigned n_bytes)
{
	const struct cache *c = thread_of(t)->cache;
	uint64_t pc = low ? cache_x87_pc(c, low, n_bytes) : 0;

	return pc ? origin_in(c, t->session->vendor, pc).pc : 0;
}

/* The last x87 instruction of the superblock before one of its instructions, or -1. */
static int last_x87(const struct translation *superblock, unsigned insn)
{
	while (insn-- > 0) {
		enum x87_use use = x87_use_of(translation_code(superblock, insn),
					      translation_fact(superblock, insn)->length);

		if (use == X87_POINTS)
			return (int)insn;
		if (use == X87_LOADS)
			return -1;
	}
	return -1;
}

static uint64_t operand_address(const struct task *t, const struct translation *superblock,
				unsigned insn)
{
	struct isa_registers r;
	uint64_t values[ISA_MAX_VALUES];

	memset(&r, 0, sizeof(r));
	reconstruct_general_registers(&t->regs, r.general);
	r.rip = translation_pc(superblock, insn);
	r.fs_base = t->fs_base;
	r.gs_base = t->gs_base;
	isa_values(translation_fact(superblock, insn), &r, values);
	return values[0];
}

/* The address that was stored is `low`. */
static void put_right(struct task *t, const struct translation *superblock, unsigned insn,
		      uint64_t at, const struct x87_layout *layout, uint64_t low)
{
	uint64_t pc = program_pc(t, low, layout->pointer_bytes);
	int last = layout->is_environment ? last_x87(superblock, insn) : -1;
	uint16_t opcode;

	if (last >= 0 && (!low || layout->pointer_bytes < sizeof(uint32_t))) {
		pc = translation_pc(superblock, (unsigned)last);
		opcode = x87_opcode_of(translation_code(superblock, (unsigned)last),
				       translation_fact(superblock, (unsigned)last)->length);
		if (layout->opcode)
			task_write(t, at + layout->opcode, &opcode, sizeof(opcode));
	}
	if (pc)
		task_write(t, at + layout->pointer, &pc, layout->pointer_bytes);
}

void x87_pointers_stored(struct task *t, uint64_t pc)
{
	const struct user_regs_struct registers = t->regs;
	struct x87_layout layout;
	struct translation *superblock;
	uint64_t at, low = 0;
	struct reconstruction p;
	unsigned insn;

	if (cache_where(thread_of(t)->cache, pc, &superblock) != CACHE_PATH ||
	    !reconstruct_state(t, pc, buffers_record(thread_of(t)), &p))
		return;
	insn = translation_state(superblock, (uint32_t)(pc - superblock->code)).executed - 1u;
	at = operand_address(t, superblock, insn);
	t->regs = registers;
	layout = x87_layout_of(translation_code(superblock, insn),
			       translation_fact(superblock, insn)->length);
	if (task_read(t, at + layout.pointer, &low, layout.pointer_bytes) == layout.pointer_bytes)
		put_right(t, superblock, insn, at, &layout, low);
}

void x87_pointers_leave(struct task *t)
{
	struct user_fpregs_struct r;
	uint64_t pc;

	if (!cache_has_x87(thread_of(t)->cache) || ptrace(PTRACE_GETFPREGS, t->tid, NULL, &r) < 0)
		return;
	pc = program_pc(t, r.rip, sizeof(r.rip));
	if (!pc)
		return;
	r.rip = pc;
	ptrace(PTRACE_SETFPREGS, t->tid, NULL, &r);
}
