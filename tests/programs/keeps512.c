/* flags: -mgeneral-regs-only */
/* SPDX-License-Identifier: MIT */
/*
 * Threads keep values in all 32 zmm and 8 mask registers, across system calls, signals with handlers
 * that change all of these registers, faults, code that changes, forks, a seccomp filter, and exec.
 * Prints how often a register had another value. Compiled code uses none of these registers.
 * usage: keeps512 ROUNDS [wait|calm [last]]; with wait, the program prints its process id and reads a line before
 * the rounds; with calm, there is no timer; with last, no exec.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, CODE_BYTES = 4096, UD2_BYTES = 2 };

struct registers {
	uint64_t zmm[32][8];
	uint64_t k[8];
};

#define NUMBERS "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define INLINE static inline __attribute__((always_inline))

static long wrong;
static volatile uint64_t sink;

INLINE void load(const struct registers *r)
{
	__asm__ volatile(".irp n," NUMBERS "\n vmovdqu64 64*\\n(%0), %%zmm\\n\n .endr\n"
			 ".irp n,0,1,2,3,4,5,6,7\n kmovq 2048+8*\\n(%0), %%k\\n\n .endr"
			 :: "r"(r) : "memory");
}

INLINE void save(struct registers *r)
{
	__asm__ volatile(".irp n," NUMBERS "\n vmovdqu64 %%zmm\\n, 64*\\n(%0)\n .endr\n"
			 ".irp n,0,1,2,3,4,5,6,7\n kmovq %%k\\n, 2048+8*\\n(%0)\n .endr"
			 :: "r"(r) : "memory");
}

INLINE long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* The C library's memset and memcmp use vector registers. */
static void fill(struct registers *r, uint64_t seed)
{
	volatile uint64_t *words = (uint64_t *)r;

	for (size_t i = 0; i < sizeof(*r) / sizeof(*words); i++)
		words[i] = (seed = seed * 6364136223846793005u + 1442695040888963407u);
}

static bool differ(const struct registers *a, const struct registers *b)
{
	const volatile uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
	uint64_t difference = 0;

	for (size_t i = 0; i < sizeof(*a) / sizeof(*x); i++)
		difference |= x[i] ^ y[i];
	return difference != 0;
}

/* Changes every register; steps over ud2, whose signal is SIGILL. */
static void disturb(int number, siginfo_t *info, void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	struct registers other;

	(void)info;
	fill(&other, (uint64_t)number);
	load(&other);
	if (number == SIGILL)
		*pc += UD2_BYTES;
}

static void handle(int number)
{
	struct sigaction action = { .sa_sigaction = disturb, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(number, &action, NULL);
}

/* ---- disturbances: between load() and save(), so without functions of the C library ---- */

static uint64_t one(uint64_t x) { return x * 3 + 1; }
static uint64_t two(uint64_t x) { return x ^ x >> 3; }
static uint64_t three(uint64_t x) { return x - (x << 7); }

static void compute(void)
{
	static uint64_t (*const volatile functions[])(uint64_t) = { one, two, three, two };
	uint64_t x = 1;

	for (unsigned i = 0; i < 3000; i++)
		x = functions[x & 3](x) + i;
	sink = x;
}

/* mov $round, %eax; ret */
static void change_code(uint8_t *code, uint32_t round)
{
	volatile uint8_t *to = code;

	to[0] = 0xb8;
	for (unsigned i = 0; i < sizeof(round); i++)
		to[1 + i] = (uint8_t)(round >> 8 * i);
	to[5] = 0xc3;
	if (((uint32_t (*)(void))(uintptr_t)code)() != round)
		__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

static void fork_and_compare(const struct registers *mine)
{
	struct registers seen;
	long pid = call(SYS_fork, 0, 0, 0);
	int status = -1;

	if (pid == 0) {
		save(&seen);
		call(SYS_exit_group, differ(mine, &seen), 0, 0);
	}
	while (call(SYS_wait4, pid, (long)&status, 0) == -EINTR)
		;
	if (status)
		__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
}

static void allow_all(void)
{
	static struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	static struct sock_fprog program = { 1, allow };

	call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0);
	call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program);
}

static void disturb_by(unsigned round, const struct registers *mine, uint8_t *code)
{
	switch (round % 8) {
	case 0:
		for (int i = 0; i < 20; i++)
			call(SYS_getppid, 0, 0, 0);
		break;
	case 1: call(SYS_tgkill, call(SYS_getpid, 0, 0, 0), call(SYS_gettid, 0, 0, 0), SIGUSR1); break;
	case 2: __asm__ volatile("ud2" ::: "memory"); break;
	case 3: compute(); break;
	case 4: change_code(code, round); break;
	case 5: fork_and_compare(mine); break;
	case 6: call(SYS_sched_yield, 0, 0, 0); break;
	default:
		if (round == 7)
			allow_all();
		compute();
	}
}

static unsigned long rounds;

static void *keep(void *seed)
{
	uint8_t *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct registers mine, seen;

	for (unsigned i = 0; i < rounds; i++) {
		fill(&mine, (uint64_t)(uintptr_t)seed + i);
		load(&mine);
		disturb_by(i, &mine, code);
		save(&seen);
		if (differ(&mine, &seen))
			__atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void wait_for_line(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (getchar() != '\n')
		;
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t threads[THREADS];
	bool calm;

	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 16;
	calm = argc > 2 && !strcmp(argv[2], "calm");
	if (argc > 2 && !calm)
		wait_for_line();
	handle(SIGUSR1);
	handle(SIGALRM);
	handle(SIGILL);
	if (!calm)
		setitimer(ITIMER_REAL, &often, NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, keep, (void *)((i + 1) << 32));
	keep((void *)7);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld wrong\n", wrong);
	fflush(stdout);
	if (argc < 4)
		execl("/proc/self/exe", argv[0], "8", "calm", "last", NULL);
	return wrong != 0;
}
