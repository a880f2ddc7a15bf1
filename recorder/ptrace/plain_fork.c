/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/plain_fork.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/breakpoints.h"
#include "recorder/ptrace/dispatch.h"

/* Returns true if the call makes a process with a copy of the memory, and nothing else new. */
static bool is_plain(const struct syscall_state *c)
{
	const uint64_t harmless = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID |
				  CLONE_SETTLS;

	return c->number == SYS_fork ||
	       (c->number == SYS_clone && (c->args[0] & ~harmless) == SIGCHLD);
}

/* Returns true if the child has nothing of the recorder that would have to be undone. */
static bool is_clean(const struct task *t)
{
	const struct session *s = t->session;
	const struct process *p = t->process;

	return !s->options->follow && !s->options->cpu && !s->sampling && !p->confined &&
	       !t->limits.confinement.sealed && !dispatch_is_on(t) && !t->remote.rseq.size &&
	       !t->x87.now.pc && !p->space->undumpable && !p->life.leaving && !t->cpu.pinned &&
	       !breakpoints_are_armed(p);
}

static bool attach_forks(const struct task *t, bool attached)
{
	long options = TASK_TRACE_OPTIONS | (t->session->options->pid ? 0 : PTRACE_O_EXITKILL);

	if (!attached)
		options &= ~(long)PTRACE_O_TRACEFORK;
	return ptrace(PTRACE_SETOPTIONS, t->tid, NULL, options) == 0;
}

void plain_fork_entering(struct task *t)
{
	t->syscall.plain_fork = is_plain(&t->syscall) && is_clean(t) && attach_forks(t, false);
}

void plain_fork_leaving(struct task *t)
{
	if (t->syscall.plain_fork)
		attach_forks(t, true);
	t->syscall.plain_fork = false;
}
