/* SPDX-License-Identifier: MIT */
#include "recorder/step/trap_flag.h"

#include "recorder/core/opcode.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/signals.h"

enum { TRAP_FLAG = 0x100 };

/* Returns true for a popf or iret. */
static bool loads_flag(const uint8_t *code, unsigned length)
{
	enum { POPF = 0x9d, IRET = 0xcf };

	return opcode_is(code, length, POPF) || opcode_is(code, length, IRET);
}

/* Clears the trap flag in flags that are in memory. */
static void clear_at(struct task *t, uint64_t address)
{
	uint16_t flags;

	if (task_read(t, address, &flags, sizeof(flags)) < sizeof(flags) || !(flags & TRAP_FLAG))
		return;
	flags &= (uint16_t)~TRAP_FLAG;
	task_write(t, address, &flags, sizeof(flags));
}

void trap_flag_before(struct trap_flag *f, const struct task *t, const uint8_t *code,
		      unsigned length)
{
	f->own = t->regs.eflags & TRAP_FLAG && !f->tangled;
	f->tangled |= !f->own && code && loads_flag(code, length);
}

void trap_flag_after(struct trap_flag *f, struct task *t, const uint8_t *code, unsigned length)
{
	enum { PUSHF = 0x9c };

	if (loads_flag(code, length))
		f->tangled = !(t->regs.eflags & TRAP_FLAG);
	if (!f->own && opcode_is(code, length, PUSHF))
		clear_at(t, t->regs.rsp);
}

void trap_flag_after_frame(struct trap_flag *f, struct task *t)
{
	if (f->tangled)
		clear_at(t, t->regs.rsp + SIGNALS_FRAME_FLAGS);
	f->tangled = false;
}

void trap_flag_untangle(struct trap_flag *f, struct task *t)
{
	f->tangled = false;
	t->regs.eflags &= ~(uint64_t)TRAP_FLAG;
	task_write_regs(t);
}
