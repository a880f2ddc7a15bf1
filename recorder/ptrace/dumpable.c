/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/dumpable.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/altered_syscalls.h"
#include "recorder/ptrace/remote.h"

enum { UNDUMPABLE, DUMPABLE, ONLY_ROOT };

static bool is_call(const struct task *t, unsigned option)
{
	return t->syscall.number == SYS_prctl && (uint32_t)t->syscall.args[0] == option;
}

static int64_t ask(struct task *t)
{
	return remote_syscall(t, SYS_prctl, (uint64_t[6]){ PR_GET_DUMPABLE });
}

static void set(struct task *t, uint64_t value)
{
	remote_syscall(t, SYS_prctl, (uint64_t[6]){ PR_SET_DUMPABLE, value });
}

/* Returns true if the kernel forbids the recorder to read any address. */
static bool is_forbidden(const struct task *t)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { NULL, 1 };

	/* nothing is mapped at the address, so that the kernel waits for no page */
	return process_vm_readv(t->tid, &local, 1, &remote, 1, 0) < 0 && errno == EPERM;
}

bool dumpable_mend(struct task *t)
{
	struct space *space = t->process->space;
	int64_t value;

	if (!is_forbidden(t))
		return false;
	value = ask(t);
	if (value != UNDUMPABLE && value != ONLY_ROOT)
		return false;
	set(t, DUMPABLE);
	space->undumpable = true;
	space->only_root = value == ONLY_ROOT;
	return true;
}

/*
 * Returns true for calls that change credentials, or after which a child with the same memory may
 * have changed them.
 */
static bool changes_credentials(uint64_t number)
{
	switch (number) {
	case SYS_setuid:
	case SYS_setgid:
	case SYS_setreuid:
	case SYS_setregid:
	case SYS_setresuid:
	case SYS_setresgid:
	case SYS_setfsuid:
	case SYS_setfsgid:
	case SYS_capset:
	case SYS_unshare:
	case SYS_setns:
	case SYS_vfork:
	case SYS_clone:
	case SYS_clone3: return true;
	default: return false;
	}
}

void dumpable_entering(struct task *t)
{
	if (is_call(t, PR_SET_DUMPABLE) && !t->syscall.args[1] && !t->process->confined)
		syscall_answer(t, 0);
}

void dumpable_leaving(struct task *t)
{
	struct space *space = t->process->space;

	if (changes_credentials(t->syscall.number)) {
		dumpable_mend(t);
	} else if (is_call(t, PR_SET_DUMPABLE) && t->regs.rax == 0) {
		space->undumpable = !t->syscall.args[1];
		space->only_root = false;
		if (space->undumpable && t->process->confined)
			set(t, DUMPABLE);
	} else if (is_call(t, PR_GET_DUMPABLE) && t->regs.rax == DUMPABLE && space->undumpable) {
		t->regs.rax = space->only_root ? ONLY_ROOT : UNDUMPABLE;
		task_write_regs(t);
	}
}

/* A vfork child's memory belongs to its parent, which goes on: it stays readable. */
void dumpable_leave(struct task *t)
{
	struct space *space = t->process->space;

	if (!space->undumpable || space->users > 1)
		return;
	set(t, UNDUMPABLE);
	space->undumpable = false;
}
