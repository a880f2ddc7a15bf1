/* SPDX-License-Identifier: MIT */
/*
 * Writes zip archives (PKWARE, APPNOTE.TXT 6.3.10) of components that are compressed by deflate.
 * Dates are those of 1980-01-01, so the same content gives the same bytes.
 */
#ifndef ZIP_WRITER_H
#define ZIP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct zip_writer;

/* Begins an archive on a stream that can seek, and stays the caller's. */
struct zip_writer *zip_begin(FILE *stream);

/* Ends the present component, and begins another one. */
void zip_component(struct zip_writer *zip, const char *name);

/* Writes bytes of the present component. Returns false if the compressor failed. */
bool zip_write(struct zip_writer *zip, const void *bytes, size_t size);

/* Ends the archive. The caller checks the stream for write errors. */
void zip_end(struct zip_writer *zip);

/* Frees the writer. NULL is allowed. */
void zip_free(struct zip_writer *zip);

#endif
