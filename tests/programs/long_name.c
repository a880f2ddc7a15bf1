/* SPDX-License-Identifier: MIT */
/* Has a variable with a name of 2000 bytes, and memory allocated by a function with such a name. */
#include <stdlib.h>

#define TEN_TIMES(a) a##a##a##a##a##a##a##a##a##a
#define TEN(a) TEN_TIMES(a)
#define LONG_NAME TEN(TEN(TEN(ab)))
#define JOIN(a, b) a##b
#define NAMED(prefix, name) JOIN(prefix, name)

enum { COUNT = 20000 };

static volatile int NAMED(data_, LONG_NAME)[COUNT];

__attribute__((noinline)) static volatile int *NAMED(allocates_, LONG_NAME)(void)
{
	volatile int *memory = malloc(COUNT * sizeof(int));

	if (!memory)
		exit(1);
	return memory;
}

int main(void)
{
	volatile int *memory = NAMED(allocates_, LONG_NAME)();

	for (int i = 0; i < COUNT; i++)
		memory[i] = NAMED(data_, LONG_NAME)[i];
	return 0;
}
