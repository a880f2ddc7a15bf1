/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* marks: adds numbers, a third of them between the SSC marks 111 and 222. */
#include <stdio.h>

#define MARK(number) __asm__ volatile("movl %0, %%ebx\n\t.byte 0x64, 0x67, 0x90" \
				      : : "i"(number) : "ebx", "memory")

static volatile unsigned long sum;

static void __attribute__((noinline)) add(unsigned first, unsigned behind)
{
	for (unsigned i = first; i < behind; i++)
		sum += i;
}

int main(void)
{
	add(0, 1000);
	MARK(111);
	add(1000, 2000);
	MARK(222);
	add(2000, 3000);
	printf("%lu\n", sum);
	return 0;
}
