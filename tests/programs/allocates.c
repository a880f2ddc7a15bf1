/* SPDX-License-Identifier: MIT */
/* Calls the malloc family with sizes that are easy to find again, and prints each call. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static void *volatile kept, *volatile none;

/* The pointer as a number, which outlives the allocation. */
static unsigned long keep(void *pointer)
{
	kept = pointer;
	return (unsigned long)pointer;
}

int main(void)
{
	unsigned long a, b, c, d;

	setvbuf(stdout, NULL, _IONBF, 0);
	a = keep(malloc(1001));
	b = keep(calloc(1002, 3));
	c = keep(realloc((void *)a, 100003));
	d = keep(memalign(64, 1004));
	free((void *)b);
	free((void *)c);
	free((void *)d);
	free(none);
	printf("malloc 0x3e9 = %#lx\n", a);
	printf("calloc 0x3ea 0x3 = %#lx\n", b);
	printf("realloc %#lx 0x186a3 = %#lx\n", a, c);
	printf("memalign 0x40 0x3ec = %#lx\n", d);
	printf("free %#lx\nfree %#lx\nfree %#lx\n", b, c, d);
	return 0;
}
