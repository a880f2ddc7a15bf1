/* SPDX-License-Identifier: MIT */
/*
 * The folder of the persistent code cache on disk: small files, each of which is replaced as a
 * whole. Any number of recorders use it at once without locks: a file is written under a temporary
 * name and renamed, so that others see the old one or the new one. Files are untrusted: a file is
 * ignored unless it is the user's own, has the expected key and passes its hash. As bytes, it is
 *
 *	"tracelab code 1\n", key (16 bytes), XXH3 of the contents (8 bytes), contents
 */
#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include <stdint.h>

#include "traceformat/common/bytes.h"

struct store_key {
	uint8_t bytes[16];
};

/*
 * Opens the folder, and makes it if it does not exist, with mode 0700. Returns a descriptor, or -1
 * with *why: the folder cannot be opened, or others may write to it.
 */
int store_folder_open(const char *path, const char **why);

enum store_status { STORE_FOUND, STORE_MISSING, STORE_DAMAGED };

/* Reads the contents of the key's file into a zeroed buffer, and makes it the one used last. */
enum store_status store_folder_read(int folder, const struct store_key *key,
				    struct buffer *contents);

/* Writes the key's file. Returns false, and changes nothing, if it cannot be written. */
bool store_folder_write(int folder, const struct store_key *key, const struct buffer *contents);

/* Removes the files that were used least recently, until the others have at most `most` bytes. */
void store_folder_trim(int folder, uint64_t most);

#endif
