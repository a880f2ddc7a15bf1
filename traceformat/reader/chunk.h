/* SPDX-License-Identifier: MIT */
/* Reads and decompresses the columns of a chunk that are asked for (FORMAT.md 5). */
#ifndef CHUNK_H
#define CHUNK_H

#include "traceformat/codings/slot_sources.h"
#include "traceformat/codings/slots.h"
#include "traceformat/reader/reader.h"

enum {
	MAX_COLUMNS = 64,
	COLUMN_PADDING = 8, /* zero bytes behind a column in memory */
};

struct column_info {
	uint16_t id;
	uint8_t coding;
	uint8_t codec;
	uint64_t offset;      /* in the file, bytes */
	uint64_t stored, raw; /* bytes */
	uint64_t hash;
};

struct column_table {
	unsigned count;
	struct column_info columns[MAX_COLUMNS];
};

/* Reads and checks the descriptors of a section of columns. Errors: IO, MEMORY, DAMAGED. */
int column_table_read(struct tf_reader *reader, const struct section *section,
		      struct column_table *table, struct tf_error *error);

/*
 * Checks everything in a section that has a checksum, and that its payload decodes; columns are not
 * decoded. Sections of unknown kinds are checked as well. Errors: IO, MEMORY, DAMAGED.
 */
int section_check(struct tf_reader *reader, const struct section *section, struct tf_error *error);

struct chunk {
	struct section section;
	struct recipe_registers registers; /* at its start */
	struct tf_totals totals;
	uint64_t n_slots; /* slot executions */
	uint64_t raw;     /* sum of the columns that were read, bytes */
	struct buffer head, runs, residuals, partials, hits, slot_sources, events;
	struct buffer slot_residuals[RESIDUAL_PLANES];
	struct buffer whole_residuals;          /* of format 1.0: svarints, not taken apart */
	struct buffer flow, slot_models, slots; /* modeled: see pack_chunk.h */
	struct buffer stored;                   /* scratch */
	void *decompressor;                     /* ZSTD_DCtx, kept from chunk to chunk */
};

/* The parts of a chunk to read beside its head. */
enum chunk_parts { CHUNK_FLOW = 1, CHUNK_SLOTS = 2, CHUNK_EVENTS = 4 };

/*
 * Reads a chunk into *chunk, whose buffers are used again. Errors: IO, MEMORY, DAMAGED, VERSION
 * (a critical column or a coding that is not known).
 */
int chunk_read(struct tf_reader *reader, const struct section *section, unsigned parts,
	       struct chunk *chunk, struct tf_error *error);

/*
 * Sets the sources of slots that the chunk has; *states must have room for the slots. Returns false
 * if the chunk is damaged.
 */
bool chunk_sources(const struct tf_reader *reader, const struct chunk *chunk,
		   struct slot_states *states);

/* Marks the slots in *states, which have sources, that must be decoded for wanted extras. */
void chunk_needs(const struct tf_reader *reader, const struct chunk *chunk, enum slot_wish wish,
		 struct slot_states *states);

/* Frees all but the decompressor, which takes time to make. */
void chunk_free_buffers(struct chunk *chunk);

void chunk_free(struct chunk *chunk);

#endif
