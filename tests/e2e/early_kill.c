/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: who is to be traced is killed in the moment before that, or, with LATER set, in the
 * one behind it. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void kill_child(pid_t pid)
{
	siginfo_t info;

	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list rest;
	pid_t pid;
	void *address, *data;
	long result;

	va_start(rest, request);
	pid = va_arg(rest, pid_t);
	address = va_arg(rest, void *);
	data = va_arg(rest, void *);
	va_end(rest);
	if (request == PTRACE_SEIZE && !getenv("LATER"))
		kill_child(pid);
	result = syscall(SYS_ptrace, request, pid, address, data);
	if (request == PTRACE_SEIZE && getenv("LATER"))
		kill_child(pid);
	return result;
}
