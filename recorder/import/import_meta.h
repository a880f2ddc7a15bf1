/* SPDX-License-Identifier: MIT */
/* Shared by all imports: the progress, and the metadata on the samples' origin. */
#ifndef IMPORT_META_H
#define IMPORT_META_H

#include <stddef.h>

#include "traceformat/tracewriter.h"

/* A caller's function that receives the progress. */
struct import_watch {
	void (*step)(void *opaque, uint64_t done, uint64_t total); /* records */
	void *opaque;
};

/* Adds META lines where there is a value. */
struct import_text {
	const char *key, *value;
};
int import_meta(struct tf_writer *writer, const struct import_text *texts, size_t count,
		struct tf_error *error);

#endif
