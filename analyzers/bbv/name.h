/* SPDX-License-Identifier: MIT */
/* Output file names as Valgrind's tools take them. */
#ifndef BBV_NAME_H
#define BBV_NAME_H

#include <stdint.h>

#include "analyzers/bbv/file.h"

/*
 * Expands pattern: %p is pid, %n is sequence, %q{NAME} the environment variable NAME, %% a percent
 * sign. Returns the name, to be freed, or NULL with what is wrong in *wrong.
 */
char *bbv_file_name(const char *pattern, uint32_t pid, unsigned sequence, const char **wrong);

/* Takes .gz or .zst off the end of name; returns what it stands for. */
enum bbv_compression bbv_take_suffix(char *name);

#endif
