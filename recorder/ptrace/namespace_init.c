/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/namespace_init.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/loop.h"
#include "recorder/core/task.h"

enum { INT3_LENGTH = 1 };

/* Returns true if the process is number 1 in a pid namespace that is not the recorder's. */
static bool is_namespace_init(const struct process *p)
{
	char path[64], line[1024], *last;
	bool is_init = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)p->pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		is_init = last && last > line + 6 && atoi(last + 1) == 1;
		break;
	}
	if (file)
		fclose(file);
	return is_init;
}

static bool is_fault(const siginfo_t *info)
{
	switch (info->si_signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP: return info->si_code > 0;
	default: return false;
	}
}

bool namespace_init_faults(const struct task *t)
{
	return is_fault(&t->signals.info) && is_namespace_init(t->process);
}

int namespace_init_let_go(struct task *t)
{
	struct session *s = t->session;

	t->signals.number = 0;
	if (t->signals.info.si_signo == SIGTRAP && t->signals.info.si_code == SI_KERNEL) {
		t->regs.rip -= INT3_LENGTH;
		if (!task_write_regs(t))
			return 0;
	}
	t->process->life.leaving = true;
	return s->synchronizing ? 0 : session_let_go(s, t, t->process);
}
