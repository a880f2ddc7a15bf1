/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/touch.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/traps.h"

enum { PAGE_BYTES = 4096, USER_BITS = 47, WORD = 8, TRAP_FLAG = 0x100 };

/* Returns true for each pop but that of rsp. */
static bool loads_from_rsp(uint8_t opcode)
{
	enum { POP = 0x58, POP_RSP = 0x5c };

	return (opcode & 0xf8) == POP && opcode != POP_RSP;
}

/* Returns the address of such an instruction in the mapping, or 0. */
static uint64_t find_in(const struct task *t, const struct mapping *m)
{
	uint8_t code[PAGE_BYTES];

	for (uint64_t at = m->start; at < m->end; at += sizeof(code)) {
		size_t size = task_read(t, at, code, sizeof(code));

		for (size_t i = 0; i < size; i++)
			if (loads_from_rsp(code[i]))
				return at + i;
	}
	return 0;
}

static uint64_t find_place(const struct task *t)
{
	const struct space *space = t->process->space;
	uint64_t found = 0;

	for (unsigned vdso = 2; vdso-- && !found;)
		for (size_t i = 0; i < space->count && !found; i++) {
			const struct mapping *m = &space->mappings[i];

			if (m->module && m->protection & PROT_EXEC &&
			    (m->module->kind == TF_MODULE_VDSO) == vdso)
				found = find_in(t, m);
		}
	return found;
}

/* Finds such an instruction again if the program has unmapped the last one. */
static bool has_place(struct task *t)
{
	struct process *p = t->process;
	uint8_t code;

	if (!p->remote.load_pc || task_read(t, p->remote.load_pc, &code, 1) < 1 ||
	    !loads_from_rsp(code))
		p->remote.load_pc = find_place(t);
	return p->remote.load_pc;
}

bool touch_may_help(const struct task *t, uint64_t address)
{
	const struct mapping *m = space_find(t->process->space, address);

	return m && m->protection & (PROT_READ | PROT_EXEC) && !(address >> USER_BITS) &&
	       t->touch.refused_pc != t->regs.rip;
}

/* Returns the address of a word near the address that does not reach into the next page. */
static uint64_t word_at(uint64_t address)
{
	uint64_t last = (address | (PAGE_BYTES - 1)) + 1 - WORD;

	return address < last ? address : last;
}

bool touch_begin(struct task *t, uint64_t address)
{
	if (!has_place(t))
		return false;
	t->touch.regs = t->regs;
	t->regs.rip = t->process->remote.load_pc;
	t->regs.rsp = word_at(address);
	t->regs.eflags &= ~(uint64_t)TRAP_FLAG;
	t->regs.orig_rax = UINT64_MAX;
	if (!task_write_regs(t)) {
		t->regs = t->touch.regs;
		return false;
	}
	t->touch.on = true;
	traps_raise(t, OWN_TRAP);
	task_resume(t, PTRACE_SINGLESTEP, TASK_RUNNING);
	return true;
}

bool touch_is_on(const struct task *t)
{
	return t->touch.on;
}

void touch_forget(struct task *t)
{
	t->touch.refused_pc = 0;
}

static void end(struct task *t)
{
	t->touch.on = false;
	t->regs = t->touch.regs;
	task_write_regs(t);
}

/*
 * Returns true if the load has faulted. The program will see the fault when it executes the code.
 */
static bool is_refused(struct task *t, int signal)
{
	siginfo_t info;

	if ((signal != SIGSEGV && signal != SIGBUS) || !task_read_info(t, &info) ||
	    info.si_code <= 0)
		return false;
	traps_raise(t, signal == SIGSEGV ? OWN_FAULT : OWN_ALIGNMENT);
	t->touch.refused_pc = t->touch.regs.rip;
	return true;
}

static bool is_done(const struct task *t, int signal)
{
	siginfo_t info;

	return signal == SIGTRAP && task_read_info(t, &info) && info.si_code == TRAP_TRACE;
}

bool touch_stopped(struct task *t, int status)
{
	int signal = WSTOPSIG(status);
	bool event = status >> 16, own;

	/* the step's own signal must be served first */
	if (status >> 16 == PTRACE_EVENT_STOP && signals_raised(t))
		return false;
	own = !event && (is_done(t, signal) || is_refused(t, signal));
	end(t);
	return own;
}
