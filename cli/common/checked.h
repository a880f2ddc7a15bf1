/* SPDX-License-Identifier: MIT */
/* Allocates memory, or ends the process with a message: for commands, which cannot continue. */
#ifndef CHECKED_H
#define CHECKED_H

#include <stdlib.h>

#include "traceformat/common/array.h"

/* Ends the process with a message and exit code 1. */
void out_of_memory(void) __attribute__((noreturn));

static inline void *checked(void *memory)
{
	if (!memory)
		out_of_memory();
	return memory;
}

/* Returns count zeroed elements of size bytes; count may be 0. */
static inline void *checked_array(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size));
}

/* Makes room for n elements of an ARRAY. */
#define CHECKED_RESERVE(array, n)        \
	do {                             \
		if (!RESERVE(array, n))  \
			out_of_memory(); \
	} while (0)

/* Returns a copy of a string, or NULL for NULL. The caller frees it. */
char *checked_copy(const char *s);

/* Returns the output of printf as a string. The caller frees it. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
