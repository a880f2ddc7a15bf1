/* SPDX-License-Identifier: MIT */
/* Names of functions, and call paths, without their less important parts. */
#ifndef BRIEF_FUNCTION_H
#define BRIEF_FUNCTION_H

#include <stddef.h>

/*
 * Returns a name, of which, if it has more than `width` characters, the parameters are (...), and
 * then, if it still has more, the arguments of templates are <...>. The caller frees it.
 */
char *without_arguments(const char *name, size_t width);

/*
 * Returns the name of a function, of which, if it has more than `width` characters, as many parts
 * are left out as have no room, in this order: parameters and arguments of templates (...), the
 * suffix of a clone, the list of parameters, the result type, and namespaces ("...::name"). The
 * result may still be longer. The caller frees it.
 */
char *brief_function(const char *name, size_t width);

/*
 * Returns a call path, functions with ";" between them, of which, if it has more than `width`
 * characters, the functions are brief, and "..." takes the place of as many outer functions as have
 * no room. The result, at least the innermost function, may still be longer. The caller frees it.
 */
char *brief_path(const char *path, size_t width);

#endif
