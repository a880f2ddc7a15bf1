/* SPDX-License-Identifier: MIT */
#include "recorder/traps.h"

#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder/remote.h"
#include "recorder/signals.h"
#include "recorder/syscalls.h"
#include "recorder/task.h"

enum { TRAP_BIT = 1 << (SIGTRAP - 1), RED_ZONE = 128 };

static const uint64_t action_default = (uint64_t)(uintptr_t)SIG_DFL;
static const uint64_t action_ignore = (uint64_t)(uintptr_t)SIG_IGN;

void traps_exec(struct task *t)
{
	struct process *p = t->process;

	p->trap_action = (struct trap_action){ 0 };
	p->trap_lost = false;
	if (signals_of_status(t, "SigIgn") & TRAP_BIT)
		p->trap_action.handler = action_ignore;
	traps_read_mask(t);
}

void traps_read_mask(struct task *t)
{
	uint64_t mask;

	if (task_read_mask(t, &mask))
		t->trap_blocked = mask & TRAP_BIT;
	t->trap_unmasked = false;
}

void traps_step(struct task *t)
{
	struct process *p = t->process;

	t->trap_unmasked = t->trap_blocked;
	if (p->trap_action.handler != action_default &&
	    (t->trap_blocked || p->trap_action.handler == action_ignore))
		p->trap_lost = true;
}

/* Sets the program's action again, by a system call of its own; the structure lies on its stack
 * for that long. */
static void restore_action(struct task *t)
{
	struct process *p = t->process;
	uint64_t at = (t->regs.rsp - RED_ZONE - sizeof(p->trap_action)) & ~(uint64_t)15;
	const uint64_t args[6] = { SIGTRAP, at, 0, sizeof(p->trap_action.mask) };
	struct trap_action saved;

	if (task_read(t, at, &saved, sizeof(saved)) < sizeof(saved) ||
	    !task_write(t, at, &p->trap_action, sizeof(p->trap_action)))
		return;
	p->trap_lost = remote_syscall(t, SYS_rt_sigaction, args) < 0;
	task_write(t, at, &saved, sizeof(saved));
}

void traps_restore(struct task *t)
{
	uint64_t mask;

	/* Not without need: an interrupted sigsuspend has two masks, of which we would make one. */
	if (t->trap_unmasked && task_read_mask(t, &mask))
		task_write_mask(t, mask | TRAP_BIT);
	t->trap_unmasked = false;
	if (t->process->trap_lost && !syscalls_interrupted(t))
		restore_action(t);
	if (t->trap_held) {
		t->trap_held = false;
		t->trap_sent = syscall(SYS_tgkill, t->process->pid, t->tid, SIGTRAP) == 0;
	}
}

void traps_before_syscall(struct task *t)
{
	struct syscall_state *c = &t->syscall;

	traps_restore(t);
	if (t->regs.rax == SYS_rt_sigaction &&
	    task_read(t, t->regs.rsi, &c->action, sizeof(c->action)) < sizeof(c->action))
		c->action = (struct trap_action){ 0 };
}

void traps_after_syscall(struct task *t)
{
	const struct syscall_state *c = &t->syscall;

	if (c->number == SYS_rt_sigprocmask || c->number == SYS_rt_sigreturn)
		traps_read_mask(t);
	if (c->number == SYS_rt_sigaction && t->regs.rax == 0 && c->args[0] == SIGTRAP &&
	    c->args[1]) {
		t->process->trap_action = c->action;
		t->process->trap_lost = false;
	}
}

enum trap_fate traps_arrived(struct task *t)
{
	uint64_t handler = t->process->trap_action.handler;
	bool sent = t->info.si_code <= 0;	/* by a process, not by an instruction */

	if (sent && t->trap_sent) {
		t->trap_sent = false;	/* by us: it is the one that was held */
		t->info = t->trap_info;
		ptrace(PTRACE_SETSIGINFO, t->tid, NULL, &t->info);
	}
	if (sent && t->trap_blocked) {
		t->trap_held = true;
		t->trap_info = t->info;
		return TRAP_DROP;
	}
	if (sent && handler == action_ignore)
		return TRAP_DROP;
	if (t->trap_blocked || handler == action_ignore || handler == action_default)
		return TRAP_FATAL;
	return TRAP_DELIVER;
}
