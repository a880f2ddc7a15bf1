/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Signals of all sorts: a timer that interrupts computation and a system call, one on an
 * alternate stack, a handler left by siglongjmp, a fault that the handler repairs, nested
 * handlers, a signal waited for by sigsuspend while all are blocked, an ignored one. Prints the
 * outcome of each.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks, inner, on_stack, waited;
static sigjmp_buf again;
static char *page;
static char stack[64 << 10];

static void on_tick(int signal)
{
	(void)signal;
	ticks++;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if ((char *)info->si_addr == page + 8)
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	else
		siglongjmp(again, 1);
}

static void on_inner(int signal)
{
	(void)signal;
	inner++;
}

static void on_outer(int signal)
{
	(void)signal;
	on_stack = (char *)&signal > stack && (char *)&signal < stack + sizeof(stack);
	raise(SIGUSR2);
}

static void on_wait(int signal)
{
	(void)signal;
	waited++;
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

/* Takes time, but few instructions: the trace is to be short at full speed, too. */
static void clear_stack(void)
{
	void *to = stack;
	unsigned long count = sizeof(stack);

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
}

static void timers(void)
{
	struct itimerval timer = { { 0, 20000 }, { 0, 20000 } }, off = { { 0, 0 }, { 0, 0 } };
	int fds[2], interrupted;
	char byte;

	handle(SIGALRM, on_tick, SA_RESTART);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (ticks < 3)
		clear_stack();
	puts("three ticks while computing");
	if (pipe(fds) < 0)
		return;
	handle(SIGALRM, on_tick, 0);
	interrupted = read(fds[0], &byte, 1) < 0 && errno == EINTR;
	setitimer(ITIMER_REAL, &off, NULL);
	printf("read interrupted: %d\n", interrupted);
}

static void faults(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[8] = 42;
	printf("repaired: %d\n", page[8]);
	if (sigsetjmp(again, 1) == 0)
		*(volatile int *)16 = 1;
	else
		puts("jumped out");
}

static void stacks(void)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaltstack(&alternate, NULL);
	handle(SIGUSR1, on_outer, SA_ONSTACK);
	handle(SIGUSR2, on_inner, 0);
	raise(SIGUSR1);
	printf("on the alternate stack: %d, nested: %d\n", (int)on_stack, (int)inner);
}

static void waits(void)
{
	sigset_t set, old;

	handle(SIGHUP, on_wait, 0);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGHUP);
	printf("blocked: %d\n", (int)waited);
	sigsuspend(&old);
	printf("waited for: %d\n", (int)waited);
	signal(SIGTERM, SIG_IGN);
	raise(SIGTERM);
	raise(SIGWINCH);
	puts("ignored");
}

int main(void)
{
	timers();
	faults();
	stacks();
	waits();
	return 0;
}
