/* SPDX-License-Identifier: MIT */
/*
 * Writes files of results that are compressed as their names end: .gz, .xz, .bz2 or .zst; others
 * are not compressed. The same content gives the same bytes.
 */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack;

/*
 * Creates a file as save_file_begin does. Returns NULL after a message. path must last until the
 * end.
 */
struct pack *pack_open(const char *path);

/*
 * Does the same for a zip archive. A component must begin before the first byte is written. The
 * path must be that of a regular file.
 */
struct pack *pack_open_zip(const char *path);

/* Begins another component of a zip archive. Other files have no components: nothing happens. */
void pack_component(struct pack *pack, const char *name);

/* Writes bytes. A failure is reported when the file is ended. */
void pack_write(struct pack *pack, const void *bytes, size_t size);

/* Returns true if something could not be written or compressed. */
bool pack_has_failed(const struct pack *pack);

/* Returns the number of bytes that were written so far, before compression. */
uint64_t pack_size(const struct pack *pack);

/* Finishes the file and gives it its name. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int pack_end(struct pack *pack);

/* Removes the unfinished file. NULL is allowed. */
void pack_drop(struct pack *pack);

#endif
