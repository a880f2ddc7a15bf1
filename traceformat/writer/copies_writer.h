/* SPDX-License-Identifier: MIT */
/*
 * The sections that a trace has twice (FORMAT.md 3.4): each is kept in memory, as it is stored, until the
 * trace is finished. That is much less than what was recorded with it.
 */
#ifndef COPIES_WRITER_H
#define COPIES_WRITER_H

#include "traceformat/writer/writer.h"

/* All below: with the writer's lock held. */

/* Keeps a section that has been written, if it is of those. False if memory is out. */
bool copies_keep(struct tf_writer *writer, const struct section *section, uint64_t hash,
		 const uint8_t *payload);

/* Writes the COPIES sections, then END, of which they have a copy, too. Errors: IO, MEMORY. */
int copies_write_end(struct tf_writer *writer, struct section *end, const uint8_t *payload,
		     size_t size, struct tf_error *error);

/* Returns the bytes of the COPIES sections as they are now, headers included, END's copy not. */
uint64_t copies_size(const struct tf_writer *writer);

void copies_free(struct tf_writer *writer);

#endif
