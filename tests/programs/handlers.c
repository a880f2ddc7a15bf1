/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers: raised, nested, blocked and then let in, on a stack of their own, reset after
 * one call, left by siglongjmp after SIGSEGV, for SIGTRAP (int3, and a trap flag of the program's
 * own), SIGCHLD while a system call waits, and across a restarted system call. Prints what
 * happened; the same in each run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t count[65], depth, deepest;
static volatile int steps;
static sigjmp_buf back;
static char other_stack[64 * 1024];
static volatile int on_other_stack;

static void counts(int number)
{
	char here;

	count[number]++;
	if (++depth > deepest)
		deepest = depth;
	if (number == SIGUSR1)
		raise(SIGUSR2);
	on_other_stack = &here >= other_stack && &here < other_stack + sizeof(other_stack);
	depth--;
}

static void jumps(int number)
{
	count[number]++;
	siglongjmp(back, number);
}

static void traces(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)info;
	count[number]++;
	if (u->uc_mcontext.gregs[REG_EFL] & 0x100 && ++steps == 5)
		u->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
}

static void set(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static void raised(void)
{
	set(SIGUSR1, counts, 0);
	set(SIGUSR2, counts, 0);
	raise(SIGUSR1);
	kill(getpid(), SIGUSR2);
	printf("raised: %d and %d, %d deep\n", count[SIGUSR1], count[SIGUSR2], deepest);
}

static void blocked(void)
{
	sigset_t set_of, pending;
	int before;

	sigemptyset(&set_of);
	sigaddset(&set_of, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set_of, NULL);
	before = count[SIGUSR2];
	raise(SIGUSR2);
	sigpending(&pending);
	printf("blocked: %d, pending %d, ", count[SIGUSR2] - before,
	       sigismember(&pending, SIGUSR2));
	sigprocmask(SIG_UNBLOCK, &set_of, NULL);
	printf("let in: %d\n", count[SIGUSR2] - before);
}

static void own_stack(void)
{
	stack_t stack = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };

	sigaltstack(&stack, NULL);
	set(SIGUSR2, counts, SA_ONSTACK);
	raise(SIGUSR2);
	printf("on a stack of its own: %d\n", on_other_stack);
}

static void once(void)
{
	struct sigaction action;

	set(SIGUSR2, counts, SA_RESETHAND);
	raise(SIGUSR2);
	sigaction(SIGUSR2, NULL, &action);
	printf("reset: %d\n", action.sa_handler == SIG_DFL);
}

static void faults(void)
{
	set(SIGSEGV, jumps, 0);
	for (int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			*(volatile char *)(long)(8 * (i + 1)) = 1;
	printf("faults: %d\n", count[SIGSEGV]);
}

static void traps(void)
{
	struct sigaction action = { .sa_sigaction = traces, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile("int3");
	raise(SIGTRAP);
	printf("traps: %d, ", count[SIGTRAP]);
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; orl $0x100, (%%rsp); popf\n\t"
			 "nop; nop; nop; nop; nop; nop; nop; nop\n\t"
			 "lea 128(%%rsp), %%rsp" ::: "cc", "memory");
	printf("steps: %d\n", steps);
}

/* The child writes only after its signal, so the read has been interrupted and goes on. */
static void restarted(void)
{
	int ends[2], status;
	char letter = 0;
	ssize_t got;
	pid_t parent = getpid(), pid;

	set(SIGUSR2, counts, SA_RESTART);
	count[SIGUSR2] = 0;
	if (pipe(ends))
		exit(1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		kill(parent, SIGUSR2);
		_exit(write(ends[1], "x", 1) != 1);
	}
	got = read(ends[0], &letter, 1);
	waitpid(pid, &status, 0);
	printf("restarted: %d, %zd '%c', child %d\n", count[SIGUSR2], got, letter, status);
}

static void waits(void)
{
	sigset_t chld, old;
	pid_t pid;

	set(SIGCHLD, counts, 0);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &old);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(3);
	while (!count[SIGCHLD])
		sigsuspend(&old);
	printf("waited: %s\n", errno == EINTR ? "interrupted" : "not interrupted");
	waitpid(pid, NULL, 0);
}

int main(void)
{
	raised();
	blocked();
	own_stack();
	once();
	faults();
	traps();
	restarted();
	waits();
	return 0;
}
