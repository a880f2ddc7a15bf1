/* SPDX-License-Identifier: MIT */
/* Records of samples (FORMAT.md 4.4). */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "traceformat/reader/reader.h"

/* Checks the records of a SAMPLES section in its payload. Errors: DAMAGED. */
int samples_check(const struct tf_reader *reader, const struct section *section,
		  const struct buffer *payload, struct tf_error *error);

#endif
