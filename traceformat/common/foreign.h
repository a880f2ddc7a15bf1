/* SPDX-License-Identifier: MIT */
/* Recognizes a file that is not of the expected kind. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stddef.h>

/* The number of bytes from the beginning of a file that suffice. */
enum { FOREIGN_BYTES = 64 };

/*
 * Returns what a file is, by its first bytes, and which command reads it, as the end of a sentence
 * whose subject is the file: "is empty", "is a perf.data file; trace-import makes a trace of it".
 * Returns NULL if the kind is not known. If there are fewer bytes than FOREIGN_BYTES, they are the
 * whole file.
 */
const char *foreign_text(const void *bytes, size_t size);

#endif
