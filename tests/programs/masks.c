/* SPDX-License-Identifier: MIT */
/*
 * Prints what system calls return that change the signal mask or the gs base, right or wrong, and
 * what they leave in registers and memory.
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
	handled += signal;
}

/* Makes a call, and says which registers it has changed. */
static long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	uint64_t rcx, r11, flags;
	long rax = number;

	__asm__ volatile("lea 1f(%%rip), %%r8\n\t"
			 "cmp $1, %%rax\n\t"
			 "pushf\n\t"
			 "pop %%r9\n\t"
			 "syscall\n"
			 "1:\tsub %%r8, %%rcx\n\t"
			 "mov %%r11, %1\n\t"
			 "mov %%r9, %2"
			 : "+a"(rax), "=&b"(r11), "=&d"(flags), "=&c"(rcx)
			 : "D"(a), "S"(b), "2"(c), "r"(r10)
			 : "r8", "r9", "r11", "cc", "memory");
	if (rcx || (r11 & 0x8d5) != (flags & 0x8d5))
		printf("rcx %+ld, r11 %lx for %lx\n", (long)rcx, (long)r11, (long)flags);
	return rax;
}

static uint64_t mask(void)
{
	uint64_t now = 0;

	call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&now, 8);
	return now;
}

static long change(int how, uint64_t set)
{
	return call(SYS_rt_sigprocmask, how, (long)&set, 0, 8);
}

static void right_calls(void)
{
	static const int hows[] = { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };
	uint64_t random = 0x9e3779b97f4a7c15;

	for (unsigned i = 0; i < 60; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		printf("%ld %lx\n", change(hows[i % 3], random >> (i % 5 * 13)), (long)mask());
	}
	change(SIG_SETMASK, 0);
}

static void wrong_calls(void)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t set = 1 << (SIGUSR1 - 1), old = 1;
	long at = (long)&set;

	printf("how %ld %lx\n", call(SYS_rt_sigprocmask, 7, at, (long)&old, 8), (long)old);
	printf("no set %ld\n", call(SYS_rt_sigprocmask, 7, 0, 0, 8));
	printf("size %ld\n", call(SYS_rt_sigprocmask, SIG_BLOCK, at, 0, 16));
	printf("unreadable %ld\n", call(SYS_rt_sigprocmask, SIG_BLOCK, 8, 0, 8));
	printf("high %ld\n", call(SYS_rt_sigprocmask, SIG_BLOCK, -8, 0, 8));
	printf("unchanged %lx\n", (long)mask());
	/* the kernel changes the mask before it finds that it cannot say what the mask was */
	printf("read-only %ld\n", call(SYS_rt_sigprocmask, SIG_BLOCK, at, (long)page, 8));
	printf("changed %lx, page %d\n", (long)mask(), *page);
	printf("wide how %ld\n", call(SYS_rt_sigprocmask, (1L << 32) + SIG_UNBLOCK, at, 0, 8));
	printf("again %lx\n", (long)mask());
}

/* A pending signal arrives right behind the call that unblocks it. */
static void pending_signals(void)
{
	for (int i = 0; i < 50; i++) {
		change(SIG_BLOCK, UINT64_C(1) << (SIGUSR1 - 1) | UINT64_C(1) << (SIGTRAP - 1));
		raise(SIGUSR1);
		raise(SIGTRAP);
		printf("%d ", (int)handled);
		change(SIG_UNBLOCK, UINT64_C(1) << (SIGUSR1 - 1));
		printf("%d ", (int)handled);
		change(SIG_SETMASK, 0);
		printf("%d\n", (int)handled);
	}
}

static void gs_base(void)
{
	static uint64_t words[3] = { 11, 22, 33 };
	uint64_t word, base;
	unsigned selector;

	for (int i = 0; i < 30; i++) {
		long status = call(SYS_arch_prctl, ARCH_SET_GS, (long)&words[i % 3], 0, 0);

		__asm__ volatile("mov %%gs:0, %0\n\tmov %%gs, %1" : "=r"(word), "=r"(selector));
		call(SYS_arch_prctl, ARCH_GET_GS, (long)&base, 0, 0);
		printf("%ld %lu %x %d\n", status, (long)word, selector,
		       base == (uint64_t)(uintptr_t)&words[i % 3]);
	}
	printf("kernel's %ld\n", call(SYS_arch_prctl, ARCH_SET_GS, -4096, 0, 0));
	printf("last page %ld\n", call(SYS_arch_prctl, ARCH_SET_GS, 0x7fffffffefff, 0, 0));
	printf("behind %ld\n", call(SYS_arch_prctl, ARCH_SET_GS, 0x7ffffffff000, 0, 0));
}

/* The kernel sets an action before it finds that it cannot say what the action was. */
static void half_set_actions(void)
{
	static const int numbers[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGUSR1 };
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < 4; i++) {
		/* as the kernel has it: handler, flags, restorer, mask */
		uint64_t action[4];

		call(SYS_rt_sigaction, SIGTRAP, 0, (long)action, 8);
		signal(numbers[i], SIG_DFL);
		printf("action %ld\n",
		       call(SYS_rt_sigaction, numbers[i], (long)action, (long)page, 8));
		handled = 0;
		raise(numbers[i]);
		if (numbers[i] == SIGTRAP)
			__asm__ volatile("int3");
		printf("handled %d\n", (int)handled);
	}
}

int main(void)
{
	signal(SIGUSR1, on_signal);
	signal(SIGTRAP, on_signal);
	right_calls();
	wrong_calls();
	pending_signals();
	gs_base();
	half_set_actions();
	return 0;
}
