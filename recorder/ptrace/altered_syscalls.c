/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/altered_syscalls.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder/core/task.h"
#include "recorder/ptrace/filter_program.h"

/* ---- answers ---- */

void syscall_answer(struct task *t, int64_t result)
{
	t->syscall.answered = true;
	t->syscall.answer = result;
	t->regs.orig_rax = UINT64_MAX;
	/* Filters are asked about no call, too. */
	if (t->process->confined)
		t->regs.rip = FILTER_PROGRAM_PC;
	task_write_regs(t);
}

void syscall_put_off(struct task *t)
{
	syscall_answer(t, 0);
	t->syscall.unmade = true;
}

/* ---- interrupted calls ---- */

/* The kernel's own, never seen by programs. */
enum { ERESTARTSYS = 512, ERESTARTNOINTR = 513, ERESTART_RESTARTBLOCK = 516 };

bool syscalls_interrupted(const struct task *t)
{
	int64_t rax = (int64_t)t->regs.rax;

	return (int64_t)t->regs.orig_rax >= 0 && rax <= -ERESTARTSYS &&
	       rax >= -ERESTART_RESTARTBLOCK;
}

void syscalls_undo(struct task *t)
{
	t->regs.rax = t->regs.orig_rax;
	t->regs.orig_rax = UINT64_MAX;
	t->regs.rip -= SYSCALL_BYTES;
	task_write_regs(t);
}

/* Returns true if a stop has ended the call without a signal. */
static bool ended_by_stop(const struct task *t)
{
	/* from signal(7); the other calls there are not ended by a mere stop on x86-64 */
	static const uint64_t fragile[] = { SYS_epoll_wait,   SYS_epoll_pwait,  SYS_epoll_pwait2,
					    SYS_semop,        SYS_semtimedop,   SYS_rt_sigtimedwait,
					    SYS_io_getevents, SYS_io_pgetevents };
	bool found = false;

	for (unsigned i = 0; i < sizeof(fragile) / sizeof(*fragile); i++)
		found |= t->regs.orig_rax == fragile[i];
	return found && (int64_t)t->regs.rax == -EINTR && !t->signals.number &&
	       !t->signals.delivering && !signals_wait(t);
}

void syscalls_begin_again(struct task *t)
{
	if (!ended_by_stop(t))
		return;
	t->regs.rax = -(uint64_t)ERESTARTNOINTR;
	task_write_regs(t);
}

void syscalls_undo_stop(struct task *t)
{
	if (!ended_by_stop(t))
		return;
	syscalls_undo(t);
}

/* ---- CLONE_UNTRACED ---- */

/* The flags are the first 64 bits of struct clone_args. */
static bool read_flags(const struct task *t, uint64_t *flags)
{
	return task_read(t, t->syscall.args[0], flags, sizeof(*flags)) == sizeof(*flags);
}

static void set_argument(struct task *t, uint64_t flags)
{
	t->regs.rdi = flags;
	task_write_regs(t);
}

void untraced_clone_entering(struct task *t)
{
	struct syscall_state *c = &t->syscall;
	uint64_t flags = c->args[0];

	c->untraced = false;
	if (c->number == SYS_clone && flags & CLONE_UNTRACED) {
		c->untraced = true;
		set_argument(t, flags & ~(uint64_t)CLONE_UNTRACED);
	} else if (c->number == SYS_clone3 && read_flags(t, &flags) && flags & CLONE_UNTRACED) {
		c->untraced = true;
		flags &= ~(uint64_t)CLONE_UNTRACED;
		task_write(t, c->args[0], &flags, sizeof(flags));
	}
}

void untraced_clone_child(struct task *child, const struct task *parent)
{
	child->syscall.untraced = parent->syscall.untraced;
	child->syscall.number = parent->syscall.number;
	child->syscall.args[0] = parent->syscall.args[0];
}

void untraced_clone_leaving(struct task *t)
{
	struct syscall_state *c = &t->syscall;
	uint64_t flags;

	if (!c->untraced)
		return;
	c->untraced = false;
	if (c->number == SYS_clone) {
		set_argument(t, c->args[0]);
	} else if (read_flags(t, &flags)) {
		flags |= CLONE_UNTRACED;
		task_write(t, c->args[0], &flags, sizeof(flags));
	}
}

/* ---- shadow stacks ---- */

#define FEATURES "x86_Thread_features:"

/* True if the kernel knows of them, on whatever processor. */
static bool are_known(void)
{
	enum { STATUS = 0x5005 };
	uint64_t features;

	return syscall(SYS_arch_prctl, STATUS, &features) == 0;
}

/* The answer is the kernel's for a processor without them. */
void shadow_stack_entering(struct task *t)
{
	enum { ENABLE = 0x5001 };
	const struct syscall_state *c = &t->syscall;

	if (c->number == SYS_arch_prctl && c->args[0] == ENABLE && are_known())
		syscall_answer(t, -EOPNOTSUPP);
}

bool shadow_stack_is_reported(const char *line)
{
	return strncmp(line, FEATURES, strlen(FEATURES)) == 0 && strstr(line, "shstk");
}

int shadow_stack_look(const struct task *t)
{
	char path[64], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)t->tid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = shadow_stack_is_reported(line);
	if (file)
		fclose(file);
	return found ? session_fail(
			       t->session, TF_E_ARGUMENT,
			       "thread %d has a shadow stack, with which it cannot be recorded; "
			       "start the program with "
			       "GLIBC_TUNABLES=glibc.cpu.x86_shstk=off, or by trace-record",
			       (int)t->tid)
		     : 0;
}
