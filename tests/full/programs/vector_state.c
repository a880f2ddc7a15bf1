/* flags: -mno-avx */
/* SPDX-License-Identifier: MIT */
/* All registers of AVX-512 keep their values in system calls, signals, fork, threads, xsave and new
 * code, and have those that a signal handler leaves in its frame. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include "say.h"

struct vectors {
	uint8_t zmm[32][64];
	uint64_t k[8];
};

#define ALL "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

static inline __attribute__((always_inline)) void load(const struct vectors *v)
{
	__asm__ volatile(".irp n," ALL "\n vmovdqu64 64*\\n(%0), %%zmm\\n\n .endr\n"
			 ".irp n,0,1,2,3,4,5,6,7\n kmovq 2048+8*\\n(%0), %%k\\n\n .endr"
			 :
			 : "r"(v)
			 : "memory");
}

static inline __attribute__((always_inline)) void save(struct vectors *v)
{
	__asm__ volatile(".irp n," ALL "\n vmovdqu64 %%zmm\\n, 64*\\n(%0)\n .endr\n"
			 ".irp n,0,1,2,3,4,5,6,7\n kmovq %%k\\n, 2048+8*\\n(%0)\n .endr"
			 :
			 : "r"(v)
			 : "memory");
}

static inline __attribute__((always_inline)) long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static struct vectors want, got;
static volatile int handled;

static void fill(struct vectors *v, unsigned seed)
{
	uint8_t *bytes = (uint8_t *)v;

	for (size_t i = 0; i < sizeof(*v); i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = (uint8_t)(seed >> 16);
	}
}

static void begin(unsigned seed)
{
	fill(&want, seed);
	memset(&got, 0, sizeof(got));
}

static void compare(const char *what)
{
	say("%s: %s\n", what, memcmp(&want, &got, sizeof(want)) ? "DIFFERENT" : "same");
}

static uint32_t place_of(unsigned component)
{
	unsigned size, offset, ecx, edx;

	__cpuid_count(0xd, component, size, offset, ecx, edx);
	return offset;
}

static void disturb(int number)
{
	struct vectors other;

	fill(&other, (unsigned)(number + handled++));
	load(&other);
}

/* Changes zmm2, zmm19 and k6 of the frame. */
static void edit(int number, siginfo_t *info, void *context)
{
	uint8_t *area = (uint8_t *)((ucontext_t *)context)->uc_mcontext.fpregs;

	(void)info;
	memset(area + place_of(6) + 2 * 32, 0x77, 32);
	memset(area + place_of(7) + 3 * 64, 0x5a, 64);
	memset(area + place_of(5) + 6 * 8, 0x3c, 8);
	area[512] |= 0xe0;
	disturb(number);
}

static void expect_edited(void)
{
	memset(want.zmm[2] + 32, 0x77, 32);
	memset(want.zmm[19], 0x5a, 64);
	memset(&want.k[6], 0x3c, 8);
}

/* The handler runs on a stack of the smallest size that the kernel offers, and a little more. */
static void signals(void)
{
	struct sigaction action = { .sa_sigaction = edit, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	size_t size = getauxval(AT_MINSIGSTKSZ) + 4096;
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
	long pid = getpid();

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	begin(1);
	load(&want);
	call(SYS_tgkill, pid, pid, SIGUSR1);
	save(&got);
	expect_edited();
	compare("an edited frame");
	memset(&want, 0, sizeof(want));
	load(&want);
	__asm__ volatile("vzeroall");
	call(SYS_tgkill, pid, pid, SIGUSR1);
	save(&got);
	expect_edited();
	compare("an edited frame of zeros");
}

static void timers(void)
{
	struct itimerval on = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, disturb);
	begin(2);
	handled = 0;
	setitimer(ITIMER_REAL, &on, NULL);
	load(&want);
	while (handled < 20)
		;
	save(&got);
	setitimer(ITIMER_REAL, &off, NULL);
	compare("a timer's signals");
}

static void calls(void)
{
	long pid;

	begin(3);
	load(&want);
	for (int i = 0; i < 50; i++)
		call(SYS_getppid, 0, 0, 0);
	save(&got);
	compare("system calls");
	begin(4);
	load(&want);
	pid = call(SYS_fork, 0, 0, 0);
	save(&got);
	if (!pid) {
		compare("the child of fork");
		_exit(0);
	}
	waitpid((pid_t)pid, NULL, 0);
	compare("the parent");
}

static uint8_t area[8192] __attribute__((aligned(64)));

#define SAVED(instruction, seed)                                                                   \
	do {                                                                                       \
		begin(seed);                                                                       \
		memset(area, 0, sizeof(area));                                                     \
		load(&want);                                                                       \
		__asm__ volatile(instruction " (%0)" : : "r"(area), "a"(0xe7), "d"(0) : "memory"); \
		__asm__ volatile("vzeroall; vpxorq %zmm20, %zmm20, %zmm20; kxorq %k3, %k3, %k3");  \
		__asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(0xe7), "d"(0) : "memory");     \
		save(&got);                                                                        \
		compare(instruction);                                                              \
	} while (0)

static void *thread(void *seed)
{
	static _Thread_local struct vectors mine, seen;

	fill(&mine, (unsigned)(uintptr_t)seed);
	load(&mine);
	for (int i = 0; i < 20; i++)
		call(SYS_sched_yield, 0, 0, 0);
	save(&seen);
	return (void *)(uintptr_t)(memcmp(&mine, &seen, sizeof(mine)) != 0);
}

static void threads(void)
{
	enum { THREADS = 4 };
	pthread_t all[THREADS];
	uintptr_t wrong = 0;

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, thread, (void *)(i + 11));
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(all[i], &result);
		wrong += (uintptr_t)result;
	}
	say("threads with wrong values: %lu\n", (unsigned long)wrong);
}

/* mov $i, %eax; ret: other code in each round */
static void new_code(void)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long wrong = 0;

	begin(9);
	for (int i = 0; i < 30; i++) {
		int result;

		code[0] = 0xb8;
		memcpy(code + 1, &i, sizeof(i));
		code[5] = 0xc3;
		load(&want);
		__asm__ volatile("sub $128, %%rsp; call *%1; add $128, %%rsp"
				 : "=a"(result)
				 : "r"(code)
				 : "memory");
		save(&got);
		wrong += result != i || memcmp(&want, &got, sizeof(want));
	}
	say("rounds of new code with wrong values: %ld\n", wrong);
}

int main(void)
{
	calls();
	signals();
	timers();
	SAVED("xsave64", 5);
	SAVED("xsavec64", 6);
	SAVED("xsaveopt64", 7);
	threads();
	new_code();
	return 0;
}
