/* SPDX-License-Identifier: MIT */
/* Builds the payload of a chunk: descriptors, then the columns (FORMAT.md 2.4). */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "traceformat/file/section.h"

/* A column to be written. level: zstd's; 0 stores the column uncompressed. */
struct out_column {
	uint16_t id;
	uint8_t coding;
	int level;
	const struct buffer *raw;
};

enum { OUT_COLUMNS = 16 };

/*
 * Fills *payload with n columns, leaving out empty ones other than the head. compressor: a
 * ZSTD_CCtx. Returns false if memory is out.
 */
bool columns_build(void *compressor, const struct out_column *columns, unsigned n,
		   struct buffer *payload);

#endif
