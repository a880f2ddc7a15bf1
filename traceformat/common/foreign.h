/* SPDX-License-Identifier: MIT */
/* Telling what a file is that is not what was expected. */
#ifndef FOREIGN_H
#define FOREIGN_H

#include <stddef.h>

/* Bytes from the beginning of a file that suffice. */
enum { FOREIGN_BYTES = 64 };

/*
 * Returns what a file is, by its first bytes, and which command reads it, as the end of a sentence
 * whose subject is the file: "is empty", "is a perf.data file; trace-import makes a trace of it".
 * NULL: not known. Fewer bytes than FOREIGN_BYTES are the whole file.
 */
const char *foreign_text(const void *bytes, size_t size);

#endif
