/* SPDX-License-Identifier: MIT */
/*
 * Reads files that may be compressed by gzip, zstd, xz or bzip2. The first bytes show the format.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct unpack;

/*
 * Opens a file; "-" is standard input. Returns NULL after a message. path must last until
 * unpack_close.
 */
struct unpack *unpack_open(const char *path);

/*
 * Reads size bytes, or fewer at the end of the file. Returns their number, or -1 after a message.
 * Compressed data that expand to more than 256 MiB and to more than 100 times their size are
 * refused, because a small file must not fill the memory.
 */
ssize_t unpack_read(struct unpack *unpack, void *bytes, size_t size);

/* Lets the data expand without limit: for callers whose memory does not grow with them. */
void unpack_allow_expansion(struct unpack *unpack);

/*
 * Opens a file as a stream. Returns NULL after a message; reading then sets its error indicator,
 * after a message.
 */
FILE *unpack_stream(const char *path);

/* Opens a text file as a stream, behind the byte order mark of UTF-8 if the text has one. */
FILE *unpack_text(const char *path);

/* Returns the number of bytes that were read from the file so far. */
uint64_t unpack_size(const struct unpack *unpack);

/* Closes the file. NULL is allowed. */
void unpack_close(struct unpack *unpack);

#endif
