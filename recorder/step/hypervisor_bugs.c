/* SPDX-License-Identifier: MIT */
/*
 * A child tries what a hypervisor may do wrong: it steps over a cpuid, which a hypervisor emulates,
 * and perhaps without the trap behind it; and it runs to a hardware breakpoint, which some
 * hypervisors do not set. If there is no child to try it, both count as broken.
 */
#include "recorder/step/hypervisor_bugs.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/step/task_breakpoint.h"

/* Code that the child executes. */
extern const uint8_t hypervisor_cpuid[], hypervisor_behind_cpuid[], hypervisor_breakpoint[];
__asm__(".pushsection .text\n"
	".globl hypervisor_cpuid, hypervisor_behind_cpuid, hypervisor_breakpoint\n"
	".hidden hypervisor_cpuid, hypervisor_behind_cpuid, hypervisor_breakpoint\n"
	"hypervisor_cpuid: cpuid\n"
	"hypervisor_behind_cpuid: nop\n"
	"nop\n"
	"hypervisor_breakpoint: ud2\n"
	".popsection\n");

static struct hypervisor_bugs {
	bool known, cpuid, breakpoints;
} hypervisor_bugs;

/* Runs the child. The death signal is needed because a stopped child would outlive a recorder that
 * is killed. */
static __attribute__((noreturn)) void child(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0); /* the parent has ended before the call */
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	_exit(0);
}

/* Returns the signal by which the child stops, or 0 if it does not stop. */
static int stop(pid_t pid)
{
	int status;
	pid_t who;

	do
		who = waitpid(pid, &status, __WALL);
	while (who < 0 && errno == EINTR);
	return who == pid && WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

/* Resumes the child at a place of this code, and returns where it stops, or 0. */
static uint64_t runs_to(pid_t pid, const uint8_t *from, int request)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r) != 0)
		return 0;
	r.rip = (uintptr_t)from;
	r.orig_rax = UINT64_MAX;
	if (ptrace(PTRACE_SETREGS, pid, NULL, &r) != 0 || ptrace(request, pid, NULL, 0L) != 0 ||
	    stop(pid) != SIGTRAP || ptrace(PTRACE_GETREGS, pid, NULL, &r) != 0)
		return 0;
	return r.rip;
}

static struct hypervisor_bugs find(void)
{
	struct hypervisor_bugs f = { true, true, true };
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		child(parent);
	if (pid < 0 || !stop(pid))
		return f;
	f.cpuid = runs_to(pid, hypervisor_cpuid, PTRACE_SINGLESTEP) !=
		  (uintptr_t)hypervisor_behind_cpuid;
	f.breakpoints = !hardware_breakpoint_set(pid, (uintptr_t)hypervisor_breakpoint) ||
			runs_to(pid, hypervisor_behind_cpuid, PTRACE_CONT) !=
				(uintptr_t)hypervisor_breakpoint;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	return f;
}

static const struct hypervisor_bugs *known(void)
{
	if (!hypervisor_bugs.known)
		hypervisor_bugs = find();
	return &hypervisor_bugs;
}

bool hypervisor_cpuid_is_not_stepped(void)
{
	return known()->cpuid;
}

bool hypervisor_no_breakpoints(void)
{
	return known()->breakpoints;
}
