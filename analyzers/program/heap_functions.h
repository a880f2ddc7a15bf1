/* SPDX-License-Identifier: MIT */
/*
 * The functions that allocate and free objects: malloc and its relatives, or those of a list.
 *
 * A list has names with commas between them. A name outside of malloc's family is followed by the
 * member of the family whose arguments and result it has, "pool_get=malloc,pool_put=free".
 */
#ifndef HEAP_FUNCTIONS_H
#define HEAP_FUNCTIONS_H

#include <stdbool.h>

/* The purpose of a function's calls. */
enum heap_purpose {
	HEAP_NOTHING,
	HEAP_MALLOC,
	HEAP_CALLOC,
	HEAP_REALLOC,
	HEAP_MEMALIGN,
	HEAP_FREE,
};

/* Returns true if a text is a list of functions with purposes. */
bool heap_functions_are_valid(const char *list);

/* Returns the number of arguments that tell what a call does. */
unsigned heap_functions_args(enum heap_purpose purpose);

/* Returns the purpose of a function. list: valid, or NULL for malloc's family. */
enum heap_purpose heap_functions_purpose(const char *list, const char *name);

#endif
