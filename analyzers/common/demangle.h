/* SPDX-License-Identifier: MIT */
/* Function names as they are in C++ source. */
#ifndef ANALYZERS_DEMANGLE_H
#define ANALYZERS_DEMANGLE_H

/*
 * Returns what a mangled name means, or NULL if it is not mangled. Free it. A name that would become
 * longer than 64 times the mangled one (at least 1024 bytes, at most 64 KiB) stays as it is.
 */
char *demangle_name(const char *name);

#endif
