/* SPDX-License-Identifier: MIT */
/*
 * Copies of sections that a trace has twice (FORMAT.md 3.4). Each is kept in memory, as it is
 * stored, until the trace is finished. Copies are much smaller than the recorded chunks.
 */
#ifndef COPIES_WRITER_H
#define COPIES_WRITER_H

#include "traceformat/writer/writer.h"

/* Call the functions below with the writer's lock held. */

/* Keeps a section that has been written, if its kind is copied. Returns false if memory is out. */
bool copies_keep(struct tf_writer *writer, const struct section *section, uint64_t hash,
		 const uint8_t *payload);

/* Writes the COPIES sections, which include a copy of END, and then END. Errors: IO, MEMORY. */
int copies_write_end(struct tf_writer *writer, struct section *end, const uint8_t *payload,
		     size_t size, struct tf_error *error);

/* Returns the bytes of the present COPIES sections, with headers but without END's copy. */
uint64_t copies_size(const struct tf_writer *writer);

void copies_free(struct tf_writer *writer);

#endif
