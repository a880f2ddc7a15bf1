/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/tracers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder/core/loop.h"
#include "recorder/core/refusals.h"
#include "recorder/ptrace/altered_syscalls.h"

enum { NAMESPACES = 32 }; /* the kernel nests no more of them */

/*
 * Reads the thread's numbers in its pid namespaces, beginning with the recorder's namespace.
 * Returns how many there are.
 */
static unsigned read_numbers(pid_t tid, pid_t numbers[NAMESPACES])
{
	char path[64], line[1024], *at = NULL, *next;
	unsigned n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && !at && fgets(line, sizeof(line), file))
		at = strncmp(line, "NSpid:", 6) ? NULL : line + 6;
	if (file)
		fclose(file);
	while (at && n < NAMESPACES) {
		numbers[n] = (pid_t)strtol(at, &next, 10);
		if (next == at)
			break;
		at = next;
		n++;
	}
	return n;
}

/* Returns the task with this number in the caller's pid namespace, or NULL. */
static struct task *find_target(const struct task *caller, pid_t number)
{
	pid_t numbers[NAMESPACES];
	unsigned depth = read_numbers(caller->tid, numbers);
	struct task *t = caller->next;

	for (; depth && t != caller; t = t->next)
		if (read_numbers(t->tid, numbers) >= depth && numbers[depth - 1] == number)
			return t;
	return NULL;
}

static void warn(struct process *p)
{
	if (!p->session->processes.warned_of_tracer)
		session_warn(p->session,
			     "process %d is traced by another program from here on, and "
			     "not recorded; further traced processes are not recorded either",
			     (int)p->pid);
	p->session->processes.warned_of_tracer = true;
}

/*
 * Puts the call off, while other tasks are being synchronized: the task for which they are may be
 * of that process.
 */
static int make_later(struct task *t)
{
	syscall_put_off(t);
	return 0;
}

static int let_go(struct task *self, struct process *p)
{
	if (self->session->synchronizing)
		return make_later(self);
	warn(p);
	p->life.leaving = true;
	return session_let_go(self->session, self, p);
}

/*
 * Returns true if the task's parent is the recorder, which the program does not mean as its tracer.
 */
static bool is_first(const struct task *t)
{
	return refusals_status(t->tid, "PPid") == getpid();
}

static int trace_me(struct task *t)
{
	struct process *p = t->process;

	if (!is_first(t)) {
		syscall_answer(t, 0);
		return let_go(t, p);
	}
	if (!p->life.claims_tracer)
		syscall_answer(t, 0);
	p->life.claims_tracer = true;
	return 0;
}

int tracers_entering(struct task *t)
{
	struct task *target;

	if (t->syscall.number != SYS_ptrace)
		return 0;
	switch (t->syscall.args[0]) {
	case PTRACE_TRACEME: return trace_me(t);
	case PTRACE_ATTACH:
	case PTRACE_SEIZE:
		target = find_target(t, (pid_t)t->syscall.args[1]);
		if (!target || !target->process || target->process == t->process)
			return 0;
		return let_go(t, target->process);
	default: return 0;
	}
}
