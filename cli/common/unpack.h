/* SPDX-License-Identifier: MIT */
/* Reads a file that may be compressed by gzip, zstd, xz or bzip2, as its first bytes show. */
#ifndef UNPACK_H
#define UNPACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct unpack;

/* Opens a file, "-" standard input. Returns NULL after a message. */
struct unpack *unpack_open(const char *path);

/*
 * Reads size bytes, fewer only at the end. Returns how many, or -1 after a message. Compressed data
 * that expand to more than 256 MiB and 100 times their size are refused: a few bytes must not fill
 * the memory.
 */
ssize_t unpack_read(struct unpack *unpack, void *bytes, size_t size);

/* Opens a file as a stream. Returns NULL after a message; reading then sets its error indicator, after
 * a message. */
FILE *unpack_stream(const char *path);

/* Returns the bytes of the file that were read so far. */
uint64_t unpack_size(const struct unpack *unpack);

/* Closes the file. NULL is allowed. */
void unpack_close(struct unpack *unpack);

#endif
