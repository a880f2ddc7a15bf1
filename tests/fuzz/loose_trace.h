/* SPDX-License-Identifier: MIT */
/*
 * A trace in parts: sections, and the decompressed columns or payload of each section. Tests and
 * fuzzers change parts, and put the trace together again with right sizes, hashes, INDEX and
 * trailer:
 *
 *	struct loose_trace t = { 0 };
 *	if (loose_trace_take(&t, bytes, size)) {
 *		loose_trace_drop(&t, loose_trace_find(&t, SECTION_THREADS, 0));
 *		loose_trace_put(&t, &file);
 *	}
 *	loose_trace_free(&t);
 */
#ifndef LOOSE_TRACE_H
#define LOOSE_TRACE_H

#include "traceformat/file/section.h"

struct loose_part {
	struct buffer bytes; /* decompressed */
	uint16_t id;         /* of a column */
	uint8_t coding;
	uint64_t raw; /* what the file says; 0: the truth */
	bool compress;
};

struct loose_section {
	struct section header;  /* number, offset, sizes: set when it is put together */
	uint32_t number_change; /* is added to its right number */
	unsigned n_parts;       /* columns, or 1 */
	struct loose_part *parts;
};

struct loose_trace {
	uint8_t header[FILE_HEADER_SIZE];
	bool finished; /* has INDEX and trailer */
	unsigned n_sections;
	struct loose_section *sections;
};

/*
 * Takes a trace apart into an empty *trace. Leaves out sections that do not decode, and copies of
 * sections, which would be out of date. part_limit: the largest part that is kept, in bytes.
 * Returns false if there are no sections. The caller calls loose_trace_free() in both cases.
 */
bool loose_trace_take(struct loose_trace *trace, const uint8_t *bytes, size_t size,
		      uint64_t part_limit);
void loose_trace_free(struct loose_trace *trace);

/* Appends the trace to *file. */
void loose_trace_put(const struct loose_trace *trace, struct buffer *file);

/* Returns the index of the n-th section (from 0) of a kind, or -1. */
int loose_trace_find(const struct loose_trace *trace, unsigned kind, unsigned n);

void loose_trace_drop(struct loose_trace *trace, unsigned section);

/* Inserts a copy of section `from` before section `at`, or behind the last one. */
void loose_trace_double(struct loose_trace *trace, unsigned from, unsigned at);

void loose_trace_swap(struct loose_trace *trace, unsigned a, unsigned b);

/* Appends an empty section with one part, and returns it. The pointer is valid until sections are
 * added or dropped. */
struct loose_section *loose_trace_add(struct loose_trace *trace, unsigned kind, unsigned flags);

/* Replaces the n-th varint at or behind byte `from` of a part, of whatever length. Returns false if
 * there is no such varint. */
bool loose_part_set_varint(struct loose_part *part, size_t from, unsigned n, uint64_t value);

#endif
