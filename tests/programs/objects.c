/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes memory of every kind, and prints what there is where: "kind address size". With
 * an argument, a child then reads and writes what its parent has allocated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 40000 };

static unsigned char initialized[SIZE] = { 1 };
static unsigned char zeroed[SIZE];

static void show(const char *kind, void *memory, size_t size)
{
	printf("%s %#lx %zu\n", kind, (unsigned long)memory, size);
}

static unsigned walk(volatile unsigned char *memory)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < SIZE; i += 8)
		sum += memory[i]++;
	return sum;
}

/* All calls of this function are one place of allocation. */
static __attribute__((noinline)) void *allocate(void)
{
	return malloc(SIZE);
}

int main(int argc, char **argv)
{
	unsigned char local[SIZE];
	unsigned char *kept, *mapped, *grown, *first, *second;
	unsigned sum = 0;

	(void)argv;
	memset(local, 1, SIZE);
	kept = malloc(SIZE);
	mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show("initialized", initialized, SIZE);
	show("zeroed", zeroed, SIZE);
	show("local", local, SIZE);
	show("kept", kept, SIZE);
	show("mapped", mapped, SIZE);
	sum += walk(initialized) + walk(zeroed) + walk(local) + walk(kept) + walk(mapped);
	first = allocate();
	show("first", first, SIZE);
	sum += walk(first);
	free(first);
	second = allocate();
	show("second", second, SIZE);
	sum += walk(second) + walk(second);
	/* The next allocation keeps this one from growing in place. */
	show("behind", malloc(SIZE), SIZE);
	grown = realloc(second, 2 * SIZE);
	show("grown", grown, 2 * SIZE);
	sum += walk(grown);
	fflush(stdout);
	if (argc > 1 && fork() == 0)
		sum += walk(kept);
	while (wait(NULL) > 0)
		;
	fprintf(stderr, "%u\n", sum);
	return 0;
}
