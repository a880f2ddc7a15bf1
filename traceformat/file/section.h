/* SPDX-License-Identifier: MIT */
/* Section headers, index entries and compressed payloads (FORMAT.md 2.2 to 2.4). */
#ifndef SECTION_H
#define SECTION_H

#include "traceformat/common/bytes.h"
#include "traceformat/file/format.h"
#include "traceformat/traceformat.h"

struct section {
	uint64_t offset; /* of the header in the file, bytes */
	uint16_t kind;
	uint8_t version;
	uint8_t flags; /* enum section_flag */
	uint32_t thread;
	uint32_t number;
	uint32_t codec;
	uint64_t stored; /* payload in the file, bytes */
	uint64_t raw;    /* payload decoded, bytes; 0 for columns */
	uint64_t first;  /* chunk: first ordinal; dictionary: first index or id */
	uint64_t count;  /* chunk: instructions; dictionary: records */
	uint32_t extra;  /* chunk: exit ids needed; paths: id of the first exit */
	bool lost;       /* reader: it turned out to be damaged */
};

/* Returns the bytes that the section takes in the file: header, payload, padding. */
static inline uint64_t section_span(const struct section *s)
{
	return SECTION_HEADER_SIZE + ((s->stored + 7) & ~UINT64_C(7));
}

/*
 * Writes a section's header, SECTION_HEADER_SIZE bytes, or its INDEX entry, INDEX_ENTRY_SIZE bytes.
 */
void section_header_write(const struct section *section, uint64_t hash, uint8_t *header);

/* Returns false if the bytes are not a valid section header. */
bool section_header_read(const uint8_t *header, struct section *section, uint64_t *hash);

void index_entry_write(const struct section *section, uint8_t *entry);
void index_entry_read(const uint8_t *entry, struct section *section);

/* Returns true if both descriptions are the same. */
static inline bool section_same(const struct section *a, const struct section *b)
{
	uint8_t mine[INDEX_ENTRY_SIZE], other[INDEX_ENTRY_SIZE];

	index_entry_write(a, mine);
	index_entry_write(b, other);
	return !memcmp(mine, other, sizeof(mine));
}

/*
 * Returns the hash of a payload of `size` bytes for the section header. For columns it covers only
 * the descriptors, which hold the hashes of the columns, so that columns can be read one by one.
 */
uint64_t payload_hash(uint32_t codec, const uint8_t *payload, size_t size);

/*
 * Returns true if `stored` bytes may decode to `raw` bytes by codec, within the limits of FORMAT.md
 * 7.
 */
bool sizes_plausible(uint32_t codec, uint64_t stored, uint64_t raw);

/* Checks the tighter limit for payloads whose records take memory: FORMAT.md 7. */
static inline bool dictionary_plausible(uint64_t stored, uint64_t raw)
{
	return raw <= stored * MAX_DICTIONARY_EXPANSION + (1 << 16);
}

/*
 * Decodes stored bytes into raw bytes at out. *context is a ZSTD_DCtx, or NULL; the function then
 * makes one if it needs it, which takes some time. Returns 0, TF_E_DAMAGED or TF_E_MEMORY.
 */
int payload_decode(void **context, uint32_t codec, const uint8_t *stored, uint64_t stored_size,
		   uint8_t *out, uint64_t raw_size);

/*
 * Appends data to out, compressed at a zstd level (a negative one is fast, and makes more bytes) if
 * that makes it shorter. context: a ZSTD_CCtx. Returns the codec used; out->failed if memory is
 * out.
 */
enum codec payload_encode(void *context, int level, const uint8_t *data, size_t size,
			  struct buffer *out);

/*
 * Returns true if COPIES sections hold a copy of the section. They hold all kinds except those that
 * grow with the recording (FORMAT.md 3.4).
 */
static inline bool section_copied(const struct section *s)
{
	return s->kind < SECTION_CHUNK || s->kind == SECTION_SCHEDULE || s->kind == SECTION_END;
}

/* Returns true if the characters are a META key (FORMAT.md 3.1). */
bool meta_key_valid(const char *key, size_t size);

/*
 * Returns true if the characters are a name of an instruction's kind (FORMAT.md 4.8). Analyzers
 * print such names as they are, so a trace may have only names as XED and Zydis make them.
 */
bool kind_name_valid(const char *name);

/*
 * Returns 1 if the section's kind and version are known, 0 if not, and -1 if it is unknown and
 * critical.
 */
int section_known(const struct section *section);

/* ---- the payload of a chunk: descriptors, then the columns (FORMAT.md 2.4) ----------------- */

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
