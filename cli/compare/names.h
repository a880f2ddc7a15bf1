/* SPDX-License-Identifier: MIT */
/* The parts of names that stay the same when a function or a module gets another version. */
#ifndef COMPARE_NAMES_H
#define COMPARE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the length of a function's name without the endings of clones that compilers make
 * (.isra.0, .constprop.1, .part.0, .cold, .lto_priv.0, " [clone .cold]") and without the version of
 * a symbol (@GLIBC_2.34).
 */
size_t stable_function_name(const char *name);

/* Returns the length of a module's name without the version of a library: libz.so for
 * libz.so.1.2.13, libz for libz-1.2.so. */
size_t stable_module_name(const char *name);

/* Returns true for a name that only says where the function is, "sort+0x37d0": it has no other. */
bool is_place(const char *name, const char *module);

#endif
