/* SPDX-License-Identifier: MIT */
/* Records of the ends of intervals (FORMAT.md 4.6). */
#ifndef READER_INTERVALS_H
#define READER_INTERVALS_H

#include "traceformat/reader/reader.h"

/* Checks the records of an INTERVALS section in its payload. Errors: MEMORY, DAMAGED. */
int intervals_check(struct tf_reader *reader, const struct section *section,
		    const struct buffer *payload, struct tf_error *error);

#endif
