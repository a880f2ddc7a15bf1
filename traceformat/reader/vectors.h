/* SPDX-License-Identifier: MIT */
/* Records of basic block vectors (FORMAT.md 4.5). */
#ifndef READER_VECTORS_H
#define READER_VECTORS_H

#include "traceformat/reader/reader.h"

/* Checks the records of a VECTORS section in its payload. Errors: MEMORY, DAMAGED. */
int vectors_check(struct tf_reader *reader, const struct section *section,
		  const struct buffer *payload, struct tf_error *error);

#endif
