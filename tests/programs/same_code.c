/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Increments a word of each cache line, over and over in 16 KiB, and then in 64 MiB: phases that execute the same code
 * on other data. Each quarter of a phase begins with a call of GOMP_parallel, as a parallel region of OpenMP does.
 */
#include <stdint.h>
#include <stdlib.h>

enum { LINE = 64, SMALL = 16 << 10, LARGE = 64 << 20, LINES = LARGE / LINE, QUARTERS = 4 };

static char data[LARGE];
static uint64_t at;

/* 5 instructions a line */
__attribute__((noinline)) void GOMP_parallel(uint64_t mask)
{
	uint64_t lines = LINES / QUARTERS;

	__asm__ volatile("1: incq (%2,%0)\n\tadd $64, %0\n\tand %3, %0\n\tdec %1\n\tjnz 1b"
			 : "+r"(at), "+r"(lines)
			 : "r"(data), "r"(mask)
			 : "cc", "memory");
}

int main(void)
{
	for (int i = 0; i < QUARTERS; i++)
		GOMP_parallel(SMALL - 1);
	for (int i = 0; i < QUARTERS; i++)
		GOMP_parallel(LARGE - 1);
	return 0;
}
