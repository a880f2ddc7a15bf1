/* SPDX-License-Identifier: MIT */
/* The progress of an import, and the metadata on the samples' origin. */
#ifndef IMPORT_META_H
#define IMPORT_META_H

#include <stddef.h>

#include "traceformat/tracewriter.h"

/* A function of the caller that receives the progress. */
struct import_watch {
	void (*step)(void *opaque, uint64_t done, uint64_t total); /* records */
	void *opaque;
};

/* Writes the texts that have a value as metadata. Returns 0 or a negative status with *error. */
struct import_text {
	const char *key, *value;
};
int import_meta(struct tf_writer *writer, const struct import_text *texts, size_t count,
		struct tf_error *error);

#endif
