/* flags: -static -no-pie */
/* SPDX-License-Identifier: MIT */
/* Takes all that MAP_32BIT gives, and prints the first and the last of it, and how many there are. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

enum { SIZE = 1 << 16 };

int main(void)
{
	void *first = NULL, *last = NULL, *next;
	unsigned n = 0;

	while ((next = mmap(NULL, SIZE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0)) != MAP_FAILED) {
		if (!n++)
			first = next;
		last = next;
	}
	printf("%p %p %u\n", first, last, n);
	return 0;
}
