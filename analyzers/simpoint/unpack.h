/* SPDX-License-Identifier: MIT */
/* Reading a file that may be compressed: gzip, zstd or neither, told apart by its first bytes. */
#ifndef UNPACK_H
#define UNPACK_H

#include <stddef.h>
#include <sys/types.h>

struct unpack;

/* Opens a file, "-" standard input. Returns NULL after a message. */
struct unpack *unpack_open(const char *path);

/* Reads size bytes, fewer at the end alone. Returns how many, or -1 after a message. */
ssize_t unpack_read(struct unpack *unpack, void *bytes, size_t size);

/* NULL is allowed. */
void unpack_close(struct unpack *unpack);

#endif
