/* SPDX-License-Identifier: MIT */
/* A trace with additions that a later version may write (FORMAT.md 8 and 9). */
#ifndef LATER_H
#define LATER_H

#include "tests/unit/traces/trace_file.h"

/* An unfinished trace of one thread, and all its instructions. */
struct later {
	struct random_trace *trace;
	int fd;
	uint32_t n_sections;
};

struct later later_begin(void);
void later_end(struct later *f);

/* Returns whether a reader of the trace returns all of its instructions and events. */
bool later_reads_whole(struct later *f, char *why, size_t why_size);

struct section {
	uint16_t kind;
	uint8_t version, flags;
	uint32_t thread, codec;
	uint64_t first, count;
};

enum { CRITICAL = 1, SAFE_TO_COPY = 2, UNKNOWN_KIND = 0x8001 };
enum { CHUNK = 16, THREADS = 5, MAPPINGS = 6 };

/* Appends a section with right hashes. table: the number of payload bytes that its hash covers. */
void later_append(struct later *f, const struct section *s, const uint8_t *payload, size_t size,
		  size_t table);

static inline void put16(uint8_t *p, uint16_t v)
{
	memcpy(p, &v, 2);
}
static inline void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}
static inline void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, 8);
}

#endif
