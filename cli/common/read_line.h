/* SPDX-License-Identifier: MIT */
/* Lines of texts that may be anybody's. */
#ifndef READ_LINE_H
#define READ_LINE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* A line of more bytes is none: what is read may have no end. */
enum { LINE_LIMIT = 16 << 20 };

/*
 * Reads a line as getline does, line break included, but at most LINE_LIMIT bytes: then errno is
 * EOVERFLOW. Returns its length, or -1 at the end (errno 0) and on an error. Ends the process if
 * memory is out.
 */
ssize_t read_line(char **line, size_t *room, FILE *file);

#endif
