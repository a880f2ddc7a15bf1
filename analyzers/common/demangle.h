/* SPDX-License-Identifier: MIT */
/* Function names as they are in C++ source. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

/*
 * Returns what a mangled name means, or NULL if it is not mangled. Free it. The C++ runtime library
 * (libstdc++.so.6) does it; without one names stay as they are.
 */
char *demangle_name(const char *name);

#endif
