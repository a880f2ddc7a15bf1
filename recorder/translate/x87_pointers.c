/* SPDX-License-Identifier: MIT */
#include "recorder/translate/x87_pointers.h"

#include <string.h>
#include <sys/ptrace.h>

#include "recorder/core/task.h"
#include "recorder/core/x87.h"
#include "recorder/ptrace/x87_state.h"
#include "recorder/translate/records/buffers.h"
#include "recorder/translate/thread/origin.h"

/* The program's address of the x87 instruction, of whose address in the cache the low bytes are
 * known; 0: it is not there. */
static uint64_t program_pc(const struct task *t, uint64_t low, unsigned n_bytes)
{
	const struct cache *c = thread_of(t)->cache;
	uint64_t pc = low ? cache_x87_pc(c, low, n_bytes) : 0;

	return pc ? origin_in(c, t->session->processor.vendor, pc).pc : 0;
}

/* Finds the last instruction that sets the pointers before an instruction of the superblock. */
static enum x87_use find_last(const struct translation *superblock, unsigned insn, unsigned *last)
{
	while (insn-- > 0) {
		const uint8_t *code = translation_code(superblock, insn);
		unsigned length = translation_fact(superblock, insn)->length;
		enum x87_use use = x87_use_of(code, length);

		*last = insn;
		if (use == X87_POINTS)
			return X87_POINTS;
		if (use == X87_LOADS || use == X87_LOADS_COMPONENT || x87_clears(code, length))
			return X87_LOADS;
	}
	return X87_NONE;
}

static void keep(struct task *t, const struct translation *superblock, unsigned insn)
{
	x87_state_set(t, translation_pc(superblock, insn),
		      x87_opcode_of(translation_code(superblock, insn),
				    translation_fact(superblock, insn)->length),
		      0);
}

/* Keeps the pointers that the superblocks before have left. */
static void keep_written(struct task *t)
{
	const struct thread *th = thread_of(t);
	uint64_t written = th->context->x87, pc;
	struct translation *superblock;

	if (written == X87_KEPT)
		return;
	pc = written == X87_HARDWARE ? 0 : cache_x87_pc(th->cache, written, sizeof(uint32_t));
	if (pc && cache_where(th->cache, pc, &superblock) == CACHE_SUPERBLOCK)
		keep(t, superblock,
		     translation_state(superblock, (uint32_t)(pc - superblock->code)).executed);
	else
		x87_state_clear(t);
}

/*
 * Sets task->x87 to the pointers before an instruction of the superblock (NULL: it is between
 * them), as far as they do not depend on what the processor has lost.
 */
static void find_pointers(struct task *t, const struct translation *superblock, unsigned insn)
{
	unsigned last;

	switch (superblock ? find_last(superblock, insn, &last) : X87_NONE) {
	case X87_POINTS: keep(t, superblock, last); break;
	case X87_LOADS: x87_state_clear(t); break;
	default: keep_written(t); break;
	}
}

static uint64_t operand_address(const struct task *t, const struct translation *superblock,
				unsigned insn)
{
	struct isa_registers r;
	uint64_t values[ISA_MAX_VALUES];

	memset(&r, 0, sizeof(r));
	reconstruct_general_registers(&t->regs, r.general);
	r.rip = translation_pc(superblock, insn);
	r.fs_base = t->trace.fs_base;
	r.gs_base = t->trace.gs_base;
	isa_values(translation_fact(superblock, insn), &r, values);
	return values[0];
}

/* The low bytes of an address were stored: of code in the cache, or 0. */
static void put_right(struct task *t, const struct translation *superblock, unsigned insn,
		      uint64_t at, const struct x87_layout *layout, uint64_t low)
{
	uint64_t pc = program_pc(t, low, layout->pointer_bytes);
	unsigned last;

	if (low && layout->pointer_bytes < sizeof(uint32_t) &&
	    find_last(superblock, insn, &last) == X87_POINTS)
		pc = translation_pc(superblock, last);
	if (pc)
		task_write(t, at + layout->pointer, &pc, layout->pointer_bytes);
	if (!x87_loses_pointers() || !layout->is_environment)
		return;
	find_pointers(t, superblock, insn);
	if (t->x87.now.pc)
		x87_state_store(t, layout, at, &t->x87.now);
}

void x87_pointers_stored(struct task *t, uint64_t pc)
{
	const struct user_regs_struct registers = t->regs;
	struct x87_layout layout;
	struct translation *superblock;
	uint64_t at, low = 0;
	struct reconstruction p;
	unsigned insn;

	if (cache_where(thread_of(t)->cache, pc, &superblock) != CACHE_SUPERBLOCK ||
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

void x87_pointers_enter(struct task *t)
{
	struct thread *th = thread_of(t);

	th->context->x87 = t->x87.now.pc ? X87_KEPT : X87_HARDWARE;
	if (t->x87.now.pc)
		cache_enter_with_x87(th->cache);
}

static void find_pointers_at(struct task *t, uint64_t pc)
{
	struct translation *superblock;
	struct state s;

	if (cache_where(thread_of(t)->cache, pc, &superblock) != CACHE_SUPERBLOCK) {
		find_pointers(t, NULL, 0);
		return;
	}
	s = translation_state(superblock, (uint32_t)(pc - superblock->code));
	if (s.flags & STATE_LEFT)
		superblock = NULL;
	find_pointers(t, superblock, s.executed + !!(s.flags & STATE_EXECUTED));
}

/* Where the processor has kept the pointers. */
static void leave_with(struct task *t, struct user_fpregs_struct *r)
{
	uint64_t pc = program_pc(t, r->rip, sizeof(r->rip));

	if (x87_loses_pointers())
		x87_state_set(t, pc ? pc : r->rip, r->fop, r->rdp);
	if (!pc)
		return;
	r->rip = pc;
	ptrace(PTRACE_SETFPREGS, t->tid, NULL, r);
}

void x87_pointers_leave(struct task *t, uint64_t pc)
{
	struct user_fpregs_struct r;

	if (!cache_has_x87(thread_of(t)->cache) || ptrace(PTRACE_GETFPREGS, t->tid, NULL, &r) < 0)
		return;
	if (r.rip)
		leave_with(t, &r);
	else if (x87_loses_pointers())
		find_pointers_at(t, pc);
}
