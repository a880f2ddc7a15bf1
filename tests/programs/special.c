/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Loops of instructions on which a recorder's own code depends: popf of all flags, string
 * instructions downwards and with 32-bit addresses, loads of segment bases, accesses through gs,
 * maskmovq, clzero. Prints a checksum of all that memory and registers hold, and the traps that the
 * trap flag raises. An argument chooses the number of rounds.
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint8_t area[4096] __attribute__((aligned(64)));
static uint64_t sum;
static volatile sig_atomic_t traps;

static void add(uint64_t value)
{
	sum = (sum ^ value) * 0x9e3779b97f4a7c15u;
	sum ^= sum >> 29;
}

static void on_trap(int signal)
{
	(void)signal;
	traps++;
}

static void fill(unsigned round)
{
	for (unsigned i = 0; i < sizeof(area); i++)
		area[i] = (uint8_t)(i * 7 + round);
}

static void add_area(void)
{
	for (unsigned i = 0; i < sizeof(area); i += 8)
		add(*(uint64_t *)(area + i));
}

static uint64_t popf(uint64_t image)
{
	uint64_t after;

	__asm__ volatile("sub $128, %%rsp\n\tpushq %1\n\tpopfq\n\tpushfq\n\tpopq %0\n\tcld\n\t"
			 "pushq $0x202\n\tpopfq\n\tadd $128, %%rsp" : "=&r"(after) : "r"(image) : "cc", "memory");
	return after;
}

static void popfs(unsigned round)
{
	static const uint64_t images[] = { 0x202, 0x246, 0xa97, 0x6d7, 0x4202, 0x40246, 0x200202 };
	unsigned n = sizeof(images) / sizeof(*images);

	add(popf(images[round % n]));
	if (round % 64 == 0)
		add(popf(0x302) & ~0x100ull);
	__asm__ volatile("sub $128, %%rsp\n\tpushw $0x6d7\n\tpopfw\n\tcld\n\tadd $128, %%rsp"
			 ::: "cc", "memory");
}

static void down(unsigned round)
{
	uint8_t *from = area + 2048 + round % 8, *to = area + 2100;
	uint64_t n = round % 9, zero;

	__asm__ volatile("std\n\trep movsb\n\tlodsb\n\tstosb\n\tcld"
			 : "+S"(from), "+D"(to), "+c"(n) :: "rax", "cc", "memory");
	add((uint64_t)(from - area) << 32 | (uint64_t)(to - area));
	from = area + 900;
	to = area + 900 + round % 2;
	n = 20;
	__asm__ volatile("std\n\trepe cmpsw\n\tsete %b3\n\tcld"
			 : "+S"(from), "+D"(to), "+c"(n), "=q"(zero) :: "cc", "memory");
	add(n << 8 | (zero & 0xff));
	to = area + 500;
	n = 300;
	__asm__ volatile("pushfq\n\torq $0x400, (%%rsp)\n\tpopfq\n\trepne scasb\n\tcld"
			 : "+D"(to), "+c"(n) : "a"(area[440]) : "cc", "memory");
	add((uint64_t)(to - area) << 32 | n);
}

/* Copies below 4 GiB with 32-bit addresses; the upper half of rcx is not 0. */
static void half(uint8_t *low, unsigned round)
{
	uint64_t from = (uint64_t)low, to = (uint64_t)low + 512, n = round % 17 | 5ull << 40;

	__asm__ volatile("addr32 rep movsb" : "+S"(from), "+D"(to), "+c"(n) :: "memory");
	add(from ^ to << 20 ^ n);
	n = 7 | 1ull << 33;
	to = (uint64_t)low + 700;
	__asm__ volatile("std\n\taddr32 rep stosw\n\tcld" : "+D"(to), "+c"(n) : "a"(round) : "cc", "memory");
	add(to ^ n << 32);
	for (unsigned i = 0; i < 1024; i += 8)
		add(*(uint64_t *)(low + i));
}

static void masked(unsigned round)
{
	uint8_t *to = area + 64 + round % 40;

	__asm__ volatile("movq (%0), %%mm0\n\tmovq 8(%0), %%mm1\n\tmaskmovq %%mm1, %%mm0\n\temms"
			 :: "r"(area + round % 128), "D"(to) : "memory");
}

static void clear(unsigned round)
{
	unsigned a, b, c, d;

	if (__get_cpuid(0x80000008, &a, &b, &c, &d) && b & 1)
		__asm__ volatile("clzero" :: "a"(area + 1024 + round * 5 % 200) : "memory");
}

static void bases(unsigned round)
{
	uint64_t fs, value, other = (uint64_t)(area + 128 + 8 * (round % 16));

	__asm__ volatile("rdfsbase %0" : "=r"(fs));
	__asm__ volatile("wrfsbase %1\n\tmovq %%fs:8, %0\n\taddl $3, %%fs:(%3)\n\twrfsbase %2"
			 : "=&r"(value) : "r"(other), "r"(fs), "r"((uint64_t)(round % 4)) : "cc", "memory");
	add(value);
	__asm__ volatile("wrgsbase %1\n\tmovq %%gs:16, %0\n\tmovq %0, %%gs:64\n\t"
			 "xaddq %0, %%gs:8(,%2,8)\n\trdgsbase %0"
			 : "=&r"(value) : "r"(other), "r"((uint64_t)(round % 4)) : "cc", "memory");
	add(value - (uint64_t)area);
	__asm__ volatile("movl $0x5678, %%r15d\n\tmovl $0x1234, %%r14d\n\tmovl $5, %%r11d\n\tmovl $6, %%r10d\n\t"
			 "addq %%gs:8, %%r15\n\taddq %%r14, %%gs:(%%r11)\n\taddq %%r10, %%r15\n\tmovq %%r15, %0"
			 : "=r"(value) :: "r15", "r14", "r11", "r10", "cc", "memory");
	add(value);
	__asm__ volatile("movw %%gs, %w0" : "=r"(value) : "0"(0ull));
	add(value & 0xffff);
	add(syscall(SYS_arch_prctl, ARCH_SET_FS, fs));
	syscall(SYS_arch_prctl, ARCH_SET_GS, area + 8 * (round % 8));
	__asm__ volatile("movq %%gs:0, %0" : "=r"(value));
	add(value);
}

/* The thread's base is the former one: libc needs that base. */
static void calls(unsigned round)
{
	uint64_t fs, value, other = (uint64_t)(area + 8 * (round % 16));

	syscall(SYS_arch_prctl, ARCH_GET_FS, &fs);
	__asm__ volatile("syscall\n\tmovq %%fs:16, %0\n\tmovl $158, %%eax\n\tmovq %3, %%rsi\n\tsyscall"
			 : "=&r"(value), "+S"(other) : "D"(ARCH_SET_FS), "r"(fs), "a"(SYS_arch_prctl)
			 : "rcx", "r11", "memory");
	add(value);
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	const char *which = argc > 2 ? argv[2] : "pdhmcbs";
	uint8_t *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	int has_bases = getauxval(AT_HWCAP2) & 2;

	signal(SIGTRAP, on_trap);
	for (unsigned i = 0; i < rounds; i++) {
		if (i % 8 == 0)
			fill(i);
		for (const char *p = which; *p; p++)
			switch (*p) {
			case 'p': popfs(i); break;
			case 'd': down(i); break;
			case 'h': half(low, i); break;
			case 'm': masked(i); break;
			case 'c': clear(i); break;
			case 's': calls(i); break;
			case 'b': if (has_bases) bases(i); break;
			}
		add_area();
	}
	printf("%llx %d traps\n", (unsigned long long)sum, (int)traps);
	return 0;
}
