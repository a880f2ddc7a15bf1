/* SPDX-License-Identifier: MIT */
/* What a trace that is made of somebody else's samples says of them. */
#ifndef IMPORT_META_H
#define IMPORT_META_H

#include <stddef.h>

#include "traceformat/tracewriter.h"

/* Adds META lines where there is a value. */
struct import_text {
	const char *key, *value;
};
int import_meta(struct tf_writer *writer, const struct import_text *texts, size_t count,
		struct tf_error *error);

#endif
