/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * phases SCHEDULE [UNIT]: phases of known length. A schedule such as A3B2A1 executes kernel A for three
 * units, B for two, A for one. A unit is about UNIT instructions (default 10,000,000), at most 100 more
 * or fewer. The kernels:
 *
 *	A  a chain of integer operations	B  a pointer chase
 *	C  sums of neighbors, in floating point	D  a histogram of bytes
 *
 * P executes 100 instructions for each unit of the last three digits of the process's number, so that
 * what follows begins elsewhere in each run.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { CELLS = 4096 };

static uint64_t next[CELLS];
static double cells[CELLS];
static uint32_t histogram[256];
static uint8_t bytes[CELLS];

/* 4 instructions an iteration */
static void chain(uint64_t iterations)
{
	uint64_t x = 1;

	__asm__ volatile("1: imul $3, %0\n\tadd $5, %0\n\tdec %1\n\tjnz 1b"
			 : "+r"(x), "+r"(iterations)::"cc");
}

/* 4 instructions an iteration */
static void chase(uint64_t iterations)
{
	uint64_t i = 0;

	__asm__ volatile("1: mov (%2,%0,8), %0\n\tnop\n\tdec %1\n\tjnz 1b"
			 : "+r"(i), "+r"(iterations)
			 : "r"(next)
			 : "cc", "memory");
}

/* 8 instructions an iteration */
static void stencil(uint64_t iterations)
{
	uint64_t i = 0;

	__asm__ volatile("1: movsd (%2,%0,8), %%xmm0\n\taddsd 8(%2,%0,8), %%xmm0\n\t"
			 "addsd 16(%2,%0,8), %%xmm0\n\tmovsd %%xmm0, 8(%2,%0,8)\n\t"
			 "inc %0\n\tand $2047, %0\n\tdec %1\n\tjnz 1b"
			 : "+r"(i), "+r"(iterations)
			 : "r"(cells)
			 : "cc", "memory", "xmm0");
}

/* 6 instructions an iteration */
static void count_bytes(uint64_t iterations)
{
	uint64_t i = 0, byte;

	__asm__ volatile("1: movzbl (%3,%0), %k2\n\tincl (%4,%2,4)\n\tinc %0\n\tand $4095, %0\n\t"
			 "dec %1\n\tjnz 1b"
			 : "+r"(i), "+r"(iterations), "=&r"(byte)
			 : "r"(bytes), "r"(histogram)
			 : "cc", "memory");
}

__attribute__((noinline)) static void run(char kernel, uint64_t instructions)
{
	switch (kernel) {
	case 'A': chain(instructions / 4); break;
	case 'B': chase(instructions / 4); break;
	case 'C': stencil(instructions / 8); break;
	case 'D': count_bytes(instructions / 6); break;
	case 'P': chain(1 + (uint64_t)getpid() % 1000 * 25); break;
	default: exit(2);
	}
}

int main(int argc, char **argv)
{
	uint64_t unit = argc > 2 ? strtoull(argv[2], NULL, 0) : 10000000;

	for (uint64_t i = 0; i < CELLS; i++) {
		next[i] = (i * 1021 + 1) % CELLS;
		cells[i] = (double)i;
		bytes[i] = (uint8_t)(i * 37);
	}
	for (char *at = argc > 1 ? argv[1] : "A1"; *at;) {
		char kernel = *at++;

		for (unsigned long units = strtoul(at, &at, 10); units; units--)
			run(kernel, unit);
	}
	return 0;
}
