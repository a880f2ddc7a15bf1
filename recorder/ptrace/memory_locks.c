/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/memory_locks.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/mman.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "recorder/core/task.h"
#include "recorder/program/space.h"
#include "recorder/ptrace/remote.h"

/*
 * Returns the limit of locked memory, in bytes. prlimit(2) may refuse the limit of a process that
 * has changed its user.
 */
static uint64_t limit_of(const struct task *t)
{
	char path[64], line[256];
	uint64_t limit = 0;
	FILE *limits;

	snprintf(path, sizeof(path), "/proc/%d/limits", (int)t->tid);
	limits = fopen(path, "re");
	while (limits && fgets(line, sizeof(line), limits))
		sscanf(line, "Max locked memory %" SCNu64, &limit);
	if (limits)
		fclose(limits);
	return limit;
}

/* Returns true if the program's own mappings are within the limit. */
static bool would_fit(const struct task *t)
{
	const struct space *space = t->process->space;
	uint64_t bytes = 0;

	for (size_t i = 0; i < space->count; i++)
		if (!space_is_own(&space->mappings[i]))
			bytes += space->mappings[i].end - space->mappings[i].start;
	return bytes <= limit_of(t);
}

/* Locks the program's mappings. mlockall() ignores mappings that cannot be locked, too. */
static void lock_mappings(struct task *t, uint64_t flags)
{
	const struct space *space = t->process->space;

	for (size_t i = 0; i < space->count; i++) {
		const struct mapping *m = &space->mappings[i];

		if (!space_is_own(m))
			remote_syscall(t, SYS_mlock2,
				       (uint64_t[6]){ m->start, m->end - m->start, flags });
	}
}

void memory_locks_leaving(struct task *t)
{
	const struct syscall_state *c = &t->syscall;
	uint64_t flags = c->args[0], on_fault = flags & MCL_ONFAULT;

	if (c->number != SYS_mlockall || (int64_t)t->regs.rax != -ENOMEM ||
	    !(flags & MCL_CURRENT) || !would_fit(t))
		return;
	lock_mappings(t, on_fault ? MLOCK_ONFAULT : 0);
	if (flags & MCL_FUTURE)
		remote_syscall(t, SYS_mlockall, (uint64_t[6]){ MCL_FUTURE | on_fault });
	t->regs.rax = 0;
	task_write_regs(t);
}
