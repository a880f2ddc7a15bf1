/* SPDX-License-Identifier: MIT */
/* Memory, or the end of the process with a message: for commands, which cannot go on without. */
#ifndef CHECKED_H
#define CHECKED_H

#include <stdlib.h>

/* Ends the process with a message and exit code 1. */
void out_of_memory(void) __attribute__((noreturn));

static inline void *checked(void *memory)
{
	if (!memory)
		out_of_memory();
	return memory;
}

/* count zeroed elements of size bytes; count may be 0. */
static inline void *checked_array(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size));
}

/* Makes room for one more in an array that has `count` elements, and room for `room`. */
#define MAKE_ROOM(items, count, room)                                                       \
	do {                                                                                \
		if ((count) == (room)) {                                                    \
			(room) = (room) ? 2 * (room) : 64;                                  \
			(items) = checked(reallocarray((items), (room), sizeof(*(items)))); \
		}                                                                           \
	} while (0)

/* A copy of a string; NULL of NULL. Free it. */
char *checked_copy(const char *s);

/* What printf would print, as a string. Free it. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
