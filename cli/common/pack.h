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

enum { PACK_BUFFER = 1 << 16, PACK_RESERVE = 1 << 10 };

struct pack;

/* The part of a file in the making that waits to be written: the first member of struct pack. */
struct pack_front {
	uint64_t n_written; /* bytes before compression */
	size_t filled;      /* bytes of input */
	unsigned char input[PACK_BUFFER + PACK_RESERVE];
};

/* Returns the suffix that decides how a file is compressed, as ".gz", or "" for a plain file. */
const char *pack_suffix(const char *path);

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

/* Writes the bytes of a full buffer. */
void pack_flush(struct pack *pack);

/*
 * Returns room for PACK_RESERVE bytes, for callers that make their bytes in place. pack_advance
 * tells how many they have made.
 */
static inline unsigned char *pack_room(struct pack *pack)
{
	struct pack_front *front = (struct pack_front *)pack;

	return front->input + front->filled;
}

static inline void pack_advance(struct pack *pack, size_t size)
{
	struct pack_front *front = (struct pack_front *)pack;

	front->n_written += size;
	front->filled += size;
	if (front->filled >= PACK_BUFFER)
		pack_flush(pack);
}

/* Returns true if something could not be written or compressed. */
bool pack_has_failed(const struct pack *pack);

/* Returns the number of bytes that were written so far, before compression. */
uint64_t pack_size(const struct pack *pack);

/* Finishes the file and gives it its name. Returns EXIT_DONE, or EXIT_FAILED after a message. */
int pack_end(struct pack *pack);

/* Removes the unfinished file. NULL is allowed. */
void pack_drop(struct pack *pack);

#endif
