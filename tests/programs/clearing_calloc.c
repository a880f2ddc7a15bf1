/* flags: -foptimize-sibling-calls */
/* SPDX-License-Identifier: MIT */
/*
 * Has a malloc, calloc and free of its own. calloc ends with a tail call of the function that clears
 * the object, as that of the dynamic loader does. Allocates 2 objects of 24 bytes.
 */
#include <stddef.h>
#define NOINLINE __attribute__((noipa))
static char memory[4096]; static size_t used; static void *volatile sink;
NOINLINE void *malloc(size_t size) { used += (size + 15) & -16ul; return memory + used - ((size + 15) & -16ul); }
NOINLINE void free(void *object) { sink = object; }
NOINLINE char *clear(char *object, size_t size) { for (size_t i = 0; i < size; i++) object[i] = 0; return object; }
NOINLINE void *calloc(size_t n, size_t size)
{
	char *object = memory + used;

	used += (n * size + 15) & -16ul;
	return clear(object, n * size);
}
NOINLINE void allocates(void) { for (int i = 0; i < 2; i++) sink = calloc(3, 8); }
int main(void) { allocates(); free(malloc(1)); return 0; }
