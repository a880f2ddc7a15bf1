/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * dispatch: a program that has the kernel raise SIGSYS instead of its system calls, but for those of a
 * range, and prints the signals and results.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { SET_DISPATCH = 59, ALLOW = 0, BLOCK = 1 };

long raw(long number);
extern char raw_behind[];
__asm__(".globl raw, raw_behind\n"
	"raw: mov %rdi, %rax\n"
	"syscall\n"
	"raw_behind: ret\n");

static volatile char selector;
static volatile int hits, number, here, code;

static void caught(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	selector = ALLOW;
	hits++;
	number = info->si_syscall;
	here = info->si_call_addr == (void *)raw_behind;
	code = info->si_code;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 4242;
}

static void say(const char *name, long result)
{
	printf("%s %ld hits %d nr %d here %d code %d\n", name, result, hits, number, here, code);
}

static int in_thread(void *arg)
{
	selector = BLOCK;
	*(long *)arg = raw(SYS_getpid) == getpid();	/* dispatch is not inherited */
	selector = ALLOW;
	return 0;
}

/* Runs a thread. As the selector is main's, too, main waits in the call that starts the thread. */
static void run_thread(long *result)
{
	static char stack[65536] __attribute__((aligned(64)));
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
		    CLONE_VFORK;

	*result = -1;
	clone(in_thread, stack + sizeof(stack), flags, result);
}

/* Executes new code while calls of the recorder would be dispatched. */
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void blocked(void)
{
	int numbers[50];
	long result;

	for (int i = 0; i < 4; i++) {
		selector = BLOCK;
		result = raw(SYS_getpid);
		say("blocked", result);
	}
	selector = BLOCK;
	for (int i = 0; i < 50; i++)
		numbers[i] = i * 7919 % 53;
	qsort(numbers, 50, sizeof(int), compare);
	selector = ALLOW;
	printf("sorted %d\n", numbers[0] <= numbers[1]);
}

/* Signals in a row, which a recorder may not delay: a blocked one would end the program. */
static void many(void)
{
	enum { CALLS = 300 };

	hits = 0;
	for (int i = 0; i < CALLS; i++) {
		selector = BLOCK;
		raw(SYS_getpid);
		selector = ALLOW;
	}
	printf("many %d\n", hits);
}

static void ranges(void)
{
	long result, pid = getpid();

	printf("range %d\n", prctl(SET_DISPATCH, 1, raw, 64, &selector));
	hits = 0;
	selector = BLOCK;
	result = raw(SYS_getpid);
	selector = ALLOW;
	printf("own pid %d hits %d\n", result == pid, hits);
}

static void others(void)
{
	long result;
	int status;

	printf("all %d\n", prctl(SET_DISPATCH, 1, 0, 0, &selector));
	run_thread(&result);
	printf("thread %ld\n", result);
	fflush(stdout);
	if (fork() == 0) {
		selector = BLOCK;
		result = raw(SYS_getpid);
		_exit(result == 4242);
	}
	wait(&status);
	printf("child %x\n", status);
	hits = 0;
	printf("off %d\n", prctl(SET_DISPATCH, 0, 0, 0, 0));
	selector = BLOCK;
	result = raw(SYS_getpid);
	selector = ALLOW;
	printf("own pid %d hits %d\n", result == getpid(), hits);
}

static void wrong(void)
{
	long result = prctl(SET_DISPATCH, 99, 0, 0, &selector);

	printf("mode %ld %d", result, errno);
	result = prctl(SET_DISPATCH, 0, 1, 1, &selector);
	printf(" off %ld %d\n", result, errno);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO };

	alarm(300);
	sigaction(SIGSYS, &action, NULL);
	if (prctl(SET_DISPATCH, 1, 0, 0, &selector)) {
		puts("not known");
		return 0;
	}
	blocked();
	many();
	ranges();
	others();
	wrong();
	prctl(SET_DISPATCH, 1, 0, 0, &selector);
	fflush(stdout);
	selector = BLOCK;
	signal(SIGSYS, SIG_DFL);
	return 0;
}
