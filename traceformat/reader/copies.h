/* SPDX-License-Identifier: MIT */
/* Reads damaged sections from their copies (FORMAT.md 3.4). Call with the reader's lock held. */
#ifndef READER_COPIES_H
#define READER_COPIES_H

#include "traceformat/reader/reader.h"

/*
 * Reads the stored payload of a section from its copy into *stored (replaced), and counts the copy
 * as used. Returns false if there is no copy, or it is damaged as well.
 */
bool copies_read(struct tf_reader *reader, const struct section *section, struct buffer *stored);

/* Returns true if there is a copy and it is whole. */
bool copies_have(struct tf_reader *reader, const struct section *section);

/* Reads the file header of a finished trace from a copy. Returns false if there is none. */
bool copies_file_header(struct tf_reader *reader, uint8_t *header);

/*
 * Inserts sections whose headers were not found, but whose copies were. Returns 0 or TF_E_MEMORY.
 */
int copies_insert_missing(struct tf_reader *reader, struct tf_error *error);

/* Compares the copies of a COPIES section with their originals. Errors: IO, MEMORY, DAMAGED. */
int copies_check(struct tf_reader *reader, const struct section *section, struct tf_error *error);

/* Returns the number of sections that were read from their copies. */
uint32_t copies_used(const struct tf_reader *reader);

#endif
