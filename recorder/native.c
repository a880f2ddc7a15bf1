/* SPDX-License-Identifier: MIT */
#include "recorder/native.h"

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "recorder/backend.h"
#include "recorder/region.h"
#include "recorder/tracee/control_words.h"
#include "recorder/tracee/mappings.h"
#include "recorder/tracee/remote.h"
#include "recorder/tracee/schedule.h"
#include "recorder/tracee/space.h"
#include "recorder/tracee/syscalls.h"
#include "recorder/tracee/task.h"
#include "recorder/tracee/traps.h"

enum { MAX_BREAKPOINTS = sizeof(((struct process *)0)->breakpoints) / sizeof(struct breakpoint) };

static const uint8_t int3 = 0xcc;

static void set(struct task *t, uint64_t pc)
{
	struct process *p = t->process;
	struct breakpoint *b = &p->breakpoints[p->n_breakpoints];

	if (p->n_breakpoints == MAX_BREAKPOINTS)
		return;
	b->pc = pc;
	if (task_read_code(t, pc, &b->original, 1) == 1 && task_write(t, pc, &int3, 1))
		p->n_breakpoints++;
}

void native_arm(struct task *t)
{
	struct process *p = t->process;

	p->n_breakpoints = 0;
	if (t->session->windows)	/* --from is behind us */
		return;
	for (size_t i = 0; i < p->space->count; i++) {
		const struct mapping *m = &p->space->mappings[i];

		for (unsigned k = 0; m->module && k < m->module->n_watches; k++) {
			uint64_t pc = m->bias + m->module->watches[k].value;

			if (m->module->watches[k].from && pc >= m->start && pc < m->end &&
			    m->protection & PROT_EXEC)
				set(t, pc);
		}
	}
	p->armed = p->n_breakpoints;
}

void native_disarm(struct task *t)
{
	struct process *p = t->process;

	for (unsigned i = 0; p->armed && i < p->n_breakpoints; i++)
		task_write(t, p->breakpoints[i].pc, &p->breakpoints[i].original, 1);
	p->armed = false;
}

/* What its last window has left behind. */
static int leave_window(struct task *t)
{
	struct session *s = t->session;

	if (t->state != TASK_READY || !t->begun)
		return 0;
	s->backend->pause(t);
	t->delivering = false;
	if (!t->syscall.inside)
		traps_restore(t);
	schedule_free(t);
	return syscalls_release(t, 0, 0);
}

int native_resume(struct task *t)
{
	bool freely = t->process->armed || t->session->windows;

	if (t->session->windows && !t->native && leave_window(t) < 0)
		return -1;
	t->native = t->process->native = true;
	if (freely)
		t->syscall.inside = false;
	task_resume(t, freely ? PTRACE_CONT : PTRACE_SYSCALL, TASK_RUNNING);
	return 0;
}

bool native_at_breakpoint(struct task *t, int status)
{
	const struct process *p = t->process;
	siginfo_t info;

	if (WSTOPSIG(status) != SIGTRAP || !task_read_info(t, &info) || info.si_code != SI_KERNEL)
		return false;
	for (unsigned i = 0; i < p->n_breakpoints; i++)
		if (t->regs.rip == p->breakpoints[i].pc + 1) {
			t->regs.rip--;
			task_write_regs(t);
			return true;
		}
	return false;
}

static int syscall_stop(struct task *t)
{
	if (!t->syscall.inside)
		return syscalls_enter(t, false);
	syscalls_begin_again(t);
	if (syscalls_leave(t) < 0)
		return -1;
	if (t->syscall.number == SYS_mmap || t->syscall.number == SYS_mprotect)
		native_arm(t);
	return 0;
}

int native_stopped(struct task *t, int status)
{
	if (!task_read_regs(t))
		return 0;
	if (WSTOPSIG(status) == (SIGTRAP | 0x80))
		return syscall_stop(t);
	if (!native_at_breakpoint(t, status)) {
		t->signal = WSTOPSIG(status);
		return 0;
	}
	native_disarm(t);
	return region_from(t);
}

int native_take_over(struct task *t)
{
	native_disarm(t);
	if (t->syscall.inside || syscalls_interrupted(t))
		return 0;
	syscalls_undo_stop(t);
	t->native = false;
	traps_take_over(t);
	remote_forget_rseq(t);
	/* Until the last one of them stops, the others may map something. */
	if (t->process->n_tasks > 1 && mappings_sync(t) < 0)
		return -1;
	return control_words_tell(t);
}
