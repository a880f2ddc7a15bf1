/* SPDX-License-Identifier: MIT */
/* Names of the files of slices: PREFIX.NUMBER.trace. */
#ifndef SLICE_NAMES_H
#define SLICE_NAMES_H

#include "cli/record/options.h"

/*
 * Returns the prefix that -o gives: the name of the program, after the folder if -o is one, which
 * is made if it ends with a slash. Returns NULL after a message. The caller frees it.
 */
char *slice_prefix(const struct arguments *arguments);

/* Return the name of the trace of the recorded windows, and of a slice. The caller frees it. */
char *windows_name(const char *prefix);
char *slice_name(const char *prefix, uint64_t number);

#endif
