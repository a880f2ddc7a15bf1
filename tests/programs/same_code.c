/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Increments a word of each cache line, over and over in 16 KiB, and then in 64 MiB: phases that execute the same code
 * on other data.
 */
#include <stdint.h>
#include <stdlib.h>

enum { LINE = 64, SMALL = 16 << 10, LARGE = 64 << 20, LINES = LARGE / LINE };

static char data[LARGE];

/* 5 instructions a line */
__attribute__((noinline)) static void sum(uint64_t mask)
{
	uint64_t at = 0, lines = LINES;

	__asm__ volatile("1: incq (%2,%0)\n\tadd $64, %0\n\tand %3, %0\n\tdec %1\n\tjnz 1b"
			 : "+r"(at), "+r"(lines)
			 : "r"(data), "r"(mask)
			 : "cc", "memory");
}

int main(void)
{
	sum(SMALL - 1);
	sum(LARGE - 1);
	return 0;
}
