/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/memory_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "recorder/program/space.h"

/* Returns true if the call may have opened a file for writing. */
static bool opens(const struct syscall_state *c)
{
	switch (c->number) {
	case SYS_open: return c->args[1] & O_ACCMODE;
	case SYS_openat: return c->args[2] & O_ACCMODE;
	case SYS_openat2:
	case SYS_creat:
	case SYS_open_by_handle_at: return true;
	default: return false;
	}
}

static bool is_memory(pid_t tid, int64_t descriptor)
{
	char link[64], name[PATH_MAX];
	struct statfs system;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/fd/%lld", (int)tid, (long long)descriptor);
	n = readlink(link, name, sizeof(name));
	return n > 4 && memcmp(name + n - 4, "/mem", 4) == 0 && statfs(link, &system) == 0 &&
	       system.f_type == PROC_SUPER_MAGIC;
}

void memory_file_leaving(struct task *t, int64_t result)
{
	if (result < 0 || !opens(&t->syscall) || !is_memory(t->tid, result))
		return;
	for (struct process *p = t->session->processes.first; p; p = p->next)
		if (p->space)
			space_expose(p->space);
}
