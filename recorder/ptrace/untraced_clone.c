/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/untraced_clone.h"

#include <sched.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"

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
