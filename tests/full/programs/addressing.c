/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Uses addresses of all forms: 32-bit ones that wrap; segments with a base, without one, or with
 * one by a selector; bit strings; tables by xlat; pushes and pops of memory by rsp; vsyscalls;
 * and bases that arch_prctl or an instruction sets. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <elf.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "say.h"

static uint64_t sum = 7;
static uint8_t *low; /* below 4 GiB */

static void add(uint64_t x)
{
	sum = (sum ^ x) * 0x9e3779b97f4a7c15;
	sum ^= sum >> 29;
}

static void narrow(unsigned round)
{
	uint64_t base = (uint64_t)low + 0xffffffff00000000, x, index = 16 + round % 7;

	__asm__ volatile("mov 8(%%esi), %0" : "=r"(x) : "S"(base));
	add(x);
	__asm__ volatile("mov -64(%%esi,%%ecx,4), %0" : "=r"(x) : "S"(base), "c"(index));
	add(x);
	__asm__ volatile("mov -8(%%esi,%%ecx,8), %k0"
			 : "=r"(x)
			 : "S"((uint64_t)low - 0x80 * 8), "c"(0x81 + round % 3));
	add(x);
	__asm__ volatile("lea -8(%%esi,%%ecx,8), %0"
			 : "=r"(x)
			 : "S"(UINT64_C(0x1fffffff0)), "c"(index));
	add(x);
	__asm__ volatile("addr32 pushq (%%esi)\n\taddr32 popq 32(%%esi)\n\tmov 32(%%rsi), %0"
			 : "=r"(x)
			 : "S"((uint64_t)low)
			 : "memory");
	add(x);
	__asm__ volatile("addr32 xlatb" : "=a"(x) : "b"(base), "a"(UINT64_C(9)));
	add(x);
}

static void segments(void)
{
	uint64_t old, x, y, gs[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	syscall(SYS_arch_prctl, ARCH_GET_GS, &old);
	syscall(SYS_arch_prctl, ARCH_SET_GS, gs);
	__asm__ volatile("mov %%gs:8, %0\n\tmov %%gs:(%2,%3,8), %1"
			 : "=&r"(x), "=&r"(y)
			 : "r"(UINT64_C(16)), "r"(UINT64_C(2)));
	add(x + 100 * y);
	__asm__ volatile("addl $5, %%gs:24\n\tlock incq %%gs:(%0)" ::"r"(UINT64_C(32)) : "memory");
	add(gs[3] + 10 * gs[4]);
	__asm__ volatile("mov %%gs:-8(%1), %0" : "=r"(x) : "r"(UINT64_C(0)) : "memory");
	__asm__ volatile("mov $0, %%ecx\n\tmov %%ecx, %%ds\n\tmov %%ecx, %%es\n\tmov %%ds:(%1), %0"
			 : "=r"(x)
			 : "r"(gs)
			 : "ecx");
	add(x);
	syscall(SYS_arch_prctl, ARCH_GET_GS, &x);
	add(x == (uint64_t)gs);
	if (getauxval(AT_HWCAP2) & 2) {
		__asm__ volatile("rdgsbase %0\n\twrgsbase %2\n\tmov %%gs:0, %1\n\twrgsbase %0"
				 : "=&r"(x), "=&r"(y)
				 : "r"(gs + 5));
		add((x == (uint64_t)gs) + 3 * y);
		__asm__ volatile("rdfsbase %0\n\tmov %%fs:0, %1" : "=&r"(x), "=&r"(y));
		add(x == y);
	}
	__asm__ volatile(
		"mov %%fs, %%eax\n\tmov %%gs, %%ecx\n\tadd %%ecx, %%eax\n\tpush %%gs\n\tpop %%gs"
		: "=a"(x)::"rcx", "memory");
	add(x);
	syscall(SYS_arch_prctl, ARCH_SET_GS, old);
}

static void bits(unsigned round)
{
	int64_t bit = (int64_t)(round * 37 % 2000) - 1000;
	uint8_t carry;

	__asm__ volatile("btsq %2, (%1)\n\tsetc %0"
			 : "=q"(carry)
			 : "r"(low + 2048), "r"(bit)
			 : "memory", "cc");
	add(carry);
	__asm__ volatile("btcw %w2, (%1)\n\tsetc %0"
			 : "=q"(carry)
			 : "r"(low + 2048), "r"(bit)
			 : "memory", "cc");
	add(carry);
	__asm__ volatile("btrl %k2, (%1)\n\tsetc %0"
			 : "=q"(carry)
			 : "r"(low + 2048), "r"(bit)
			 : "memory", "cc");
	add(carry);
	__asm__ volatile("btl $200, (%1)\n\tsetc %0" : "=q"(carry) : "r"(low) : "memory", "cc");
	add(carry);
}

static void stack(void)
{
	uint64_t x, y;

	__asm__ volatile(
		"sub $256, %%rsp\n\tpushq $5\n\tpushq (%%rsp)\n\tpopq 8(%%rsp)\n\tpop %0\n\t"
		"push %%rsp\n\tpop %1\n\tsub %%rsp, %1\n\tpushw $3\n\tpopw %w0\n\tadd $256, %%rsp"
		: "=&r"(x), "=&r"(y)::"memory", "cc");
	add(x * 1000 + y);
	__asm__ volatile(
		"mov %%rsp, %%rbx\n\tmov %1, %%rsp\n\tpushq $77\n\tpush %%rsp\n\tpop %%rcx\n\tpop %0\n\tmov %%rbx, %%rsp"
		: "=&r"(x)
		: "r"(low + 1024)
		: "rbx", "rcx", "memory");
	add(x);
	__asm__ volatile(
		"mov %%rsp, %%rbx\n\tlea 16(%1), %%rsp\n\tpop %%rsp\n\tmov %%rsp, %0\n\tmov %%rbx, %%rsp"
		: "=&r"(x)
		: "r"(low + 512)
		: "rbx", "memory");
	add(x - (uint64_t)low * 0);
	__asm__ volatile(
		"xchg %%rsp, %1\n\tcall 1f\n1:\tpop %0\n\tlea 1b(%%rip), %%rcx\n\tsub %%rcx, %0\n\txchg %%rsp, %1"
		: "=&r"(x), "=&r"(y)
		: "1"(low + 1024)
		: "rcx", "memory");
	add(x);
}

static void absolute(void)
{
	uint64_t x = 0;
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)low + 24;

	/* movabs at, %rax; movabs %al, at; addr32 movabs (low 32 bits), %eax; ret */
	code[0] = 0x48, code[1] = 0xa1;
	memcpy(code + 2, &at, 8);
	code[10] = 0xa2;
	memcpy(code + 11, &at, 8);
	code[19] = 0x67, code[20] = 0xa1;
	memcpy(code + 21, &at, 4);
	code[25] = 0xc3;
	__asm__ volatile("call *%1" : "=a"(x) : "r"(code) : "memory");
	add(x);
}

int main(void)
{
	low = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
		   0);
	if (low == MAP_FAILED)
		return 0;
	for (unsigned i = 0; i < 8192; i++)
		low[i] = (uint8_t)(i * 7 + (i >> 8));
	for (unsigned round = 0; round < 100; round++) {
		narrow(round);
		bits(round);
		stack();
		absolute();
	}
	for (unsigned i = 0; i < 8192; i += 8)
		add(*(uint64_t *)(low + i));
	say("memory %lx\n", (unsigned long)sum);
	segments();
	say("segments %lx\n", (unsigned long)sum);
	return 0;
}
