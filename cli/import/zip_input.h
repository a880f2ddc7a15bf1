/* SPDX-License-Identifier: MIT */
/*
 * Reads the members of a zip file, one after the other in the order of its central directory:
 * stored or deflated ones, also of files beyond 4 GiB (zip64). PKWARE's APPNOTE.TXT, 4.3.
 */
#ifndef ZIP_INPUT_H
#define ZIP_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct zip_input;

/* Returns whether a file that begins with these bytes is a zip file. */
bool zip_input_knows(const uint8_t *bytes, size_t size);

/*
 * Reads the end of a zip file, which must be a regular file. Returns NULL after a message. path
 * must last until zip_input_close; fd stays the caller's.
 */
struct zip_input *zip_input_open(int fd, const char *path);

/* Goes to the next member. Returns 1, 0 if there is none, or -1 after a message. */
int zip_input_next(struct zip_input *zip);

/*
 * Reads size bytes of the member, or fewer at its end, where its checksum is compared. Returns
 * their number, or -1 after a message.
 */
ssize_t zip_input_read(struct zip_input *zip, void *bytes, size_t size);

/* Returns the number of bytes of the members so far, as they are in the file. */
uint64_t zip_input_size(const struct zip_input *zip);

/* NULL is allowed. */
void zip_input_close(struct zip_input *zip);

#endif
