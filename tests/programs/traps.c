/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * State in which single-stepping must not show: the trap flag (in pushf, in r11 after a system
 * call, in a signal frame), SIGTRAP in the signal mask, the program's own SIGTRAP handler and int3, SIGTRAP
 * blocked or ignored, the number of CPUs, its own stepping by the trap flag.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { TF = 0x100 };

static volatile sig_atomic_t traps;
static volatile unsigned long frame_flags;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	(void)signal;
	(void)info;
	traps++;
	frame_flags = (unsigned long)c->uc_mcontext.gregs[REG_EFL];
}

static unsigned long pushed_flags(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags));
	return flags;
}

static unsigned long syscall_flags(void)
{
	unsigned long number = SYS_getpid, flags;

	__asm__ volatile("syscall; movq %%r11, %1" : "+a"(number), "=r"(flags)
			 : : "rcx", "r11", "memory");
	return flags;
}

static int blocks_trap(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGTRAP);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO }, is;
	sigset_t trap, old;
	cpu_set_t cpus;

	printf("pushf %lu, syscall %lu\n", pushed_flags() & TF, syscall_flags() & TF);
	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile("int3");
	printf("int3: %d, frame %lu\n", (int)traps, frame_flags & TF);
	raise(SIGTRAP);
	printf("raise: %d, frame %lu\n", (int)traps, frame_flags & TF);

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, &old);
	printf("blocked: %d, was %d\n", blocks_trap(), sigismember(&old, SIGTRAP));
	raise(SIGTRAP);
	sigpending(&old);
	printf("pending: %d, handled %d\n", sigismember(&old, SIGTRAP), (int)traps);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	printf("unblocked: %d, handled %d\n", blocks_trap(), (int)traps);
	sigaction(SIGTRAP, NULL, &is);
	printf("handler kept: %d\n", is.sa_sigaction == on_trap);
	__asm__ volatile("int3");
	printf("int3: %d\n", (int)traps);

	signal(SIGTRAP, SIG_IGN);
	raise(SIGTRAP);
	sigaction(SIGTRAP, NULL, &is);
	printf("ignored: %d, kept %d\n", (int)traps, is.sa_handler == SIG_IGN);

	sigaction(SIGTRAP, &action, NULL);
	traps = 0;
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq; nop; nop; pushfq; andq %1, (%%rsp); popfq"
			 : : "i"(TF), "i"(~TF) : "memory", "cc");
	printf("steps itself: %d\n", (int)traps);

	sched_getaffinity(0, sizeof(cpus), &cpus);
	printf("CPUs: %d\n", CPU_COUNT(&cpus) == sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}
