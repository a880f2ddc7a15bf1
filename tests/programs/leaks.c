/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Has secrets in each place of a trace from which a reader could learn them; tests/cli/leaks.py
 * searches for them. Arguments: the name of a file, which is mapped.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The name of this function is secret. */
__attribute__((noinline)) static void secret_symbol_4(volatile uint64_t *memory)
{
	uint64_t before = 0x5a01234567;

	/* A constant in the code, and the displacement of an access. */
	__asm__ volatile("movabs $0x5a11223344556677, %%rax; mov %%rax, %0" : "=m"(*memory) : : "rax");
	__asm__ volatile("lea -0x2b334455(%1), %%rax; mov 0x2b334455(%%rax), %%rcx"
			 : "+m"(*memory)
			 : "r"(memory)
			 : "rax", "rcx");
	/* An address that no access uses: there are no repetitions. */
	__asm__ volatile("mov $0x5a77665544332210, %%rdi; inc %%rdi; xor %%ecx, %%ecx; rep stosb"
			 : "+r"(before)
			 :
			 : "rdi", "rcx", "rax", "memory");
}

/* An index of a lane that is not active. */
__attribute__((target("avx2"), noinline)) static void gather(volatile uint64_t *memory)
{
	static const uint64_t indices[4] = { 0, 0x5a0badc0de0ddf00, 0, 0 };
	static const uint64_t mask[4] = { UINT64_MAX, 0, 0, UINT64_MAX };

	__asm__ volatile("vmovdqu %0, %%ymm1; vmovdqu %1, %%ymm2\n\t"
			 "vpgatherqq %%ymm2, (%2,%%ymm1,1), %%ymm3"
			 :
			 : "m"(indices), "m"(mask), "r"(memory)
			 : "xmm1", "xmm2", "xmm3");
}

static volatile uint64_t argument = 0x5a0102030405;

int main(int argc, char **argv)
{
	volatile uint64_t memory[8] = { 0 };
	int file = open(argv[argc - 1], O_RDONLY);
	volatile char *mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);

	if (mapped == MAP_FAILED)
		return 1;
	syscall(SYS_lseek, -1, argument, *mapped ? 0 : 1);
	secret_symbol_4(memory);
	if (__builtin_cpu_supports("avx2"))
		gather(memory);
	return 0;
}
