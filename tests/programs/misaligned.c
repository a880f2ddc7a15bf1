/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Runs with the alignment check flag: aligned accesses, code that changes, a system call, a signal, and accesses that
 * fault because they are not aligned, which a handler skips. An argument chooses the number of aligned accesses.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { SKIPPED = 4 };

static _Alignas(64) uint64_t words[64];
static _Alignas(64) uint8_t bytes[256];
static volatile unsigned faults, handled;

static inline void set_flag(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torl $0x40000, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::: "cc", "memory");
}

static inline void clear_flag(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::: "cc", "memory");
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)signal;
	faults += info->si_code == BUS_ADRALN;
	c->uc_mcontext.gregs[REG_RIP] += SKIPPED;
}

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

/* mov eax, number; ret */
static unsigned generated(uint8_t *code, unsigned number)
{
	code[0] = 0xb8;
	for (unsigned i = 0; i < 4; i++)
		code[1 + i] = (uint8_t)(number >> 8 * i);
	code[5] = 0xc3;
	return ((unsigned (*)(void))(uintptr_t)code)();
}

__attribute__((noinline)) static uint64_t work(unsigned turns)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < turns; i++) {
		words[i & 63] += sum ^ i;
		sum += words[(i * 7) & 63] + bytes[(i * 5) & 255];
		bytes[i & 255] = (uint8_t)sum;
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned turns = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum, number = 0;

	sigaction(SIGBUS, &fault, NULL);
	signal(SIGTRAP, on_signal);
	set_flag();
	sum = work(turns);
	for (unsigned i = 0; i < 20; i++)
		number += generated(code + 3, i);
	syscall(SYS_getuid);
	__asm__ volatile("int3");
	/* A load and a store of four bytes of code, with a prefix, and an aligned vector. */
	for (unsigned i = 0; i < 20; i++) {
		__asm__ volatile("ds mov (%0), %%rax" ::"r"(bytes + 1 + i) : "rax");
		__asm__ volatile("ds mov %%rax, (%0)" ::"r"(bytes + 3 + i) : "memory");
		__asm__ volatile("movdqu (%0), %%xmm0" ::"r"(bytes + 16 * i) : "xmm0");
	}
	clear_flag();
	printf("sum %llx, generated %llu, %u faults, %u handled\n", (unsigned long long)sum,
	       (unsigned long long)number, faults, handled);
	return 0;
}
