/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/orphans.h"

#include <sys/syscall.h>

#include "recorder/core/region.h"
#include "recorder/ptrace/release.h"

static bool creates(uint64_t number)
{
	return number == SYS_fork || number == SYS_vfork || number == SYS_clone ||
	       number == SYS_clone3 || number & SYSCALL_INT80;
}

/* Returns true if a task may have started another one whose event has yet to come. */
static bool may_tell(const struct task *t)
{
	if ((t->state != TASK_KERNEL && t->state != TASK_RUNNING) || t->life.waits_for_child)
		return false;
	return t->syscall.inside ? creates(t->syscall.number) : t->life.native;
}

static struct task *find(const struct session *s, bool (*is)(const struct task *t))
{
	struct task *t = s->tasks.current;

	for (bool first = true; t && (first || t != s->tasks.current); t = t->next, first = false)
		if (is(t))
			return t;
	return NULL;
}

static bool is_unclaimed(const struct task *t)
{
	return !t->process && t->state == TASK_READY;
}

void orphans_release(struct session *s)
{
	struct task *t;

	while ((t = find(s, is_unclaimed)) && !find(s, may_tell)) {
		if (s->options->follow && !region_is_over(s))
			session_warn(s,
				     "process %d is not recorded: its parent was killed while "
				     "it began",
				     (int)t->tid);
		task_release(t);
	}
}
