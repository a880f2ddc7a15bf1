/* SPDX-License-Identifier: MIT */
/* Has an allocator of its own beside malloc's: 3 objects of 100 bytes, 1 of which is freed. */
#include <stddef.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noipa))
static char memory[4096];
static size_t used;
static void *volatile sink;
NOINLINE void *pool_get(size_t size)
{
	used += size;
	return memory + used - size;
}
NOINLINE void pool_put(void *object)
{
	sink = object;
}
NOINLINE void takes(void)
{
	for (int i = 0; i < 3; i++)
		sink = pool_get(100);
}
int main(void)
{
	takes();
	pool_put(sink);
	free(malloc(1));
	return 0;
}
