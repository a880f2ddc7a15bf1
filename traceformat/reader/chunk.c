/* SPDX-License-Identifier: MIT */
#include "traceformat/reader/chunk.h"

#include <xxhash.h>
#include <zstd.h>

#include "traceformat/codings/slot_sources.h"
#include "traceformat/common/error.h"
#include "traceformat/reader/section_records.h"

int column_table_read(struct tf_reader *r, const struct section *s, struct column_table *table,
		      struct tf_error *error)
{
	uint8_t bytes[SECTION_HEADER_SIZE + 8 + MAX_COLUMNS * COLUMN_DESCRIPTOR_SIZE];
	uint8_t *payload = bytes + SECTION_HEADER_SIZE;
	struct section proof = *s;
	uint64_t hash, offset;
	size_t size = 8;
	unsigned n;
	int status;

	if (s->stored < 8)
		return fail_section(r, s, error, "it is too short for columns");
	status = reader_bytes(r, s->offset, bytes, SECTION_HEADER_SIZE + 8, error);
	if (status < 0)
		return status;
	n = get_le16(payload);
	size += (size_t)n * COLUMN_DESCRIPTOR_SIZE;
	if (n > MAX_COLUMNS || size > s->stored)
		return fail_section(r, s, error, "it has more columns than fit");
	status = reader_bytes(r, s->offset + SECTION_HEADER_SIZE, payload, size, error);
	if (status < 0)
		return status;
	if (!section_header_read(bytes, &proof, &hash) || !section_same(&proof, s) ||
	    hash != payload_hash(CODEC_COLUMNS, payload, size))
		return fail_section(r, s, error, "its checksum does not hold");
	offset = s->offset + SECTION_HEADER_SIZE + size;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *d = payload + 8 + i * COLUMN_DESCRIPTOR_SIZE;
		struct column_info *c = &table->columns[i];

		*c = (struct column_info){
			.id = get_le16(d),
			.coding = d[2],
			.codec = d[3],
			.offset = offset,
			.stored = get_le64(d + 8),
			.raw = get_le64(d + 16),
			.hash = get_le64(d + 24),
		};
		if (get_le32(d + 4) || c->stored > s->stored)
			return fail_section(r, s, error, "a column's sizes cannot be");
		offset += c->stored;
	}
	if (get_le16(payload + 2) || get_le32(payload + 4) ||
	    offset != s->offset + SECTION_HEADER_SIZE + s->stored)
		return fail_section(r, s, error, "its columns do not fill it");
	table->count = n;
	return 0;
}

/* Reads a column as it is stored, and checks it against its hash. */
static int read_stored(struct tf_reader *r, const struct section *s, const struct column_info *c,
		       struct buffer *stored, struct tf_error *error)
{
	int status;

	stored->size = 0;
	if (!buffer_reserve(stored, c->stored + 1))
		return fail_memory(error);
	status = reader_bytes(r, c->offset, stored->data, c->stored, error);
	if (status < 0)
		return status;
	if (XXH3_64bits(stored->data, c->stored) != c->hash)
		return fail_section(r, s, error, "a column's checksum does not hold");
	return 0;
}

int section_check(struct tf_reader *r, const struct section *s, struct tf_error *error)
{
	struct column_table table = { 0 };
	struct buffer bytes = { 0 };
	int status = 0;

	if (s->codec == CODEC_COLUMNS) {
		status = column_table_read(r, s, &table, error);
		for (unsigned i = 0; status == 0 && i < table.count; i++)
			status = read_stored(r, s, &table.columns[i], &bytes, error);
	} else if (section_known(s) == 1) {
		status = reader_records(r, s, &bytes, error);
		if (status == 0 && s->kind == SECTION_SAMPLES)
			status = samples_check(r, s, &bytes, error);
		if (status == 0 && s->kind == SECTION_VECTORS)
			status = vectors_check(r, s, &bytes, error);
		if (status == 0 && s->kind == SECTION_INTERVALS)
			status = intervals_check(r, s, &bytes, error);
	} else {
		status = reader_stored(r, s, &bytes, error);
	}
	buffer_free(&bytes);
	return status;
}

/* Returns true if a column of `raw` bytes fits beside those that have been read. */
static bool has_room(const struct chunk *c, uint64_t raw)
{
	return raw <= MAX_CHUNK_SIZE - c->raw;
}

static int read_column(struct tf_reader *r, const struct section *s, const struct column_info *c,
		       struct chunk *chunk, struct buffer *raw, struct tf_error *error)
{
	int status;

	raw->size = 0;
	if (!sizes_plausible(c->codec, c->stored, c->raw) || !has_room(chunk, c->raw) ||
	    (c->id == COLUMN_SLOT_MODELS && !dictionary_plausible(c->stored, c->raw)))
		return fail_section(r, s, error, "a column's sizes cannot be");
	status = read_stored(r, s, c, &chunk->stored, error);
	if (status < 0)
		return status;
	status = buffer_reserve(raw, c->raw + COLUMN_PADDING)
			 ? payload_decode(&chunk->decompressor, c->codec, chunk->stored.data,
					  c->stored, raw->data, c->raw)
			 : TF_E_MEMORY;
	if (status == TF_E_MEMORY)
		return fail_memory(error);
	if (status < 0)
		return fail_section(r, s, error, "a column does not decode");
	raw->size = c->raw;
	chunk->raw += c->raw;
	memset(raw->data + raw->size, 0, COLUMN_PADDING);
	return 0;
}

static bool parse_head(struct chunk *chunk)
{
	struct span s = span_of(chunk->head.data, chunk->head.size);

	chunk->registers.segment[0] = 0;
	chunk->registers.rsp = take_varint(&s);
	chunk->registers.segment[TF_SEGMENT_FS] = take_varint(&s);
	chunk->registers.segment[TF_SEGMENT_GS] = take_varint(&s);
	chunk->totals.instructions = chunk->section.count;
	chunk->totals.paths = take_varint(&s);
	chunk->totals.blocks = take_varint(&s);
	chunk->n_slots = take_varint(&s);
	chunk->totals.loads = take_varint(&s);
	chunk->totals.stores = take_varint(&s);
	chunk->totals.prefetches = take_varint(&s);
	chunk->totals.repetitions = take_varint(&s);
	chunk->totals.opaque = take_varint(&s);
	chunk->totals.events = take_varint(&s);
	return !s.bad;
}

/*
 * Returns the buffer of a column; sets the part that it belongs to and the coding that this reader
 * knows.
 */
static struct buffer *place_of(struct chunk *c, unsigned id, unsigned *part, unsigned *coding)
{
	*coding = CODING_PREDICTED;
	if (id - COLUMN_SLOT_MISSES_0 < RESIDUAL_PLANES) {
		*part = CHUNK_SLOTS;
		return &c->slot_residuals[id - COLUMN_SLOT_MISSES_0];
	}
	switch (id) {
	case COLUMN_HEAD:
		*part = 0;
		*coding = CODING_PLAIN;
		return &c->head;
	case COLUMN_FLOW_RUNS: *part = CHUNK_FLOW; return &c->runs;
	case COLUMN_FLOW_MISSES: *part = CHUNK_FLOW; return &c->residuals;
	case COLUMN_PARTIALS:
		*part = CHUNK_FLOW;
		*coding = CODING_PLAIN;
		return &c->partials;
	case COLUMN_FLOW:
		*part = CHUNK_FLOW;
		*coding = CODING_MODELLED;
		return &c->flow;
	case COLUMN_SLOT_HITS: *part = CHUNK_SLOTS; return &c->hits;
	case COLUMN_SLOT_MISSES: *part = CHUNK_SLOTS; return &c->whole_residuals;
	case COLUMN_SLOT_SOURCES: *part = CHUNK_SLOTS; return &c->slot_sources;
	case COLUMN_SLOT_MODELS:
		*part = CHUNK_SLOTS;
		*coding = CODING_PLAIN;
		return &c->slot_models;
	case COLUMN_SLOTS:
		*part = CHUNK_SLOTS;
		*coding = CODING_MODELLED;
		return &c->slots;
	case COLUMN_EVENTS:
		*part = CHUNK_EVENTS;
		*coding = CODING_PLAIN;
		return &c->events;
	}
	return NULL;
}

static void empty(struct chunk *c)
{
	c->head.size = c->runs.size = c->residuals.size = c->partials.size = 0;
	c->hits.size = c->slot_sources.size = c->whole_residuals.size = c->events.size = 0;
	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		c->slot_residuals[i].size = 0;
	c->flow.size = c->slot_models.size = c->slots.size = 0;
	c->totals = (struct tf_totals){ 0 };
	c->raw = 0;
}

/*
 * Returns true if slot-hits has one bit for each slot execution and zeros in the rest of its last
 * byte.
 */
static bool hits_fit(const struct chunk *c)
{
	uint64_t n = c->n_slots;

	return c->hits.size == n / 8 + (n % 8 != 0) &&
	       (n % 8 == 0 || c->hits.data[n / 8] >> n % 8 == 0);
}

/* Converts the residuals of format 1.0 to the form of later versions. */
static int take_residuals(struct chunk *c)
{
	struct span whole = span_of(c->whole_residuals.data, c->whole_residuals.size);

	if (c->whole_residuals.size && c->slot_residuals[0].size)
		return TF_E_DAMAGED;
	return residuals_spread(&whole, c->slot_residuals);
}

/* Checks the slot columns in the recorded form. Returns 0, TF_E_DAMAGED or TF_E_MEMORY. */
static int check_slots(struct chunk *c)
{
	int status = take_residuals(c);

	return status == 0 && !(hits_fit(c) && residuals_fit(c->slot_residuals)) ? TF_E_DAMAGED
										 : status;
}

int chunk_read(struct tf_reader *r, const struct section *s, unsigned parts, struct chunk *chunk,
	       struct tf_error *error)
{
	struct column_table table;
	int status;

	chunk->section = *s;
	empty(chunk);
	if (s->codec != CODEC_COLUMNS || s->count > MAX_CHUNK_INSTRUCTIONS)
		return fail_section(r, s, error, "it breaks the format's rules");
	status = column_table_read(r, s, &table, error);
	for (unsigned i = 0; status == 0 && i < table.count; i++) {
		const struct column_info *c = &table.columns[i];
		unsigned part = 0, coding = 0;
		struct buffer *raw = place_of(chunk, c->id, &part, &coding);

		if (raw ? c->coding != coding : c->id & COLUMN_CRITICAL)
			return fail_at(error, TF_E_VERSION, s->offset, s->number,
				       "%s: section %u at offset %llu: column %u is coded in a way "
				       "that this reader does not know; get a newer one",
				       r->name, s->number, (unsigned long long)s->offset, c->id);
		if (raw && (part & ~parts) == 0)
			status = read_column(r, s, c, chunk, raw, error);
	}
	if (status == 0 && !parse_head(chunk))
		status = fail_section(r, s, error, "its head is damaged");
	if (status == 0 && chunk->totals.repetitions > MAX_CHUNK_REPETITIONS)
		status = fail_section(r, s, error,
				      "it says that its rep instructions repeat more than 2^40 "
				      "times, which no chunk may");
	if (status < 0 || !(parts & CHUNK_SLOTS) || chunk->slots.size)
		return status;
	status = check_slots(chunk);
	if (status == TF_E_DAMAGED)
		return fail_section(r, s, error, "its slots are damaged");
	return status < 0 ? fail_memory(error) : 0;
}

static const struct compiled_path *path_of(const void *opaque, uint32_t id)
{
	const struct tf_reader *r = opaque;

	return id < r->paths.count ? r->paths.at[id] : NULL;
}

bool chunk_sources(const struct tf_reader *r, const struct chunk *c, struct slot_states *states)
{
	return slot_sources_read(span_of(c->slot_sources.data, c->slot_sources.size), path_of, r,
				 states);
}

void chunk_needs(const struct tf_reader *r, const struct chunk *c, enum slot_wish wish,
		 struct slot_states *states)
{
	slot_sources_need(span_of(c->slot_sources.data, c->slot_sources.size), path_of, r, wish,
			  states);
}

void chunk_free_buffers(struct chunk *c)
{
	buffer_free(&c->head);
	buffer_free(&c->runs);
	buffer_free(&c->residuals);
	buffer_free(&c->partials);
	buffer_free(&c->hits);
	buffer_free(&c->whole_residuals);
	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		buffer_free(&c->slot_residuals[i]);
	buffer_free(&c->slot_sources);
	buffer_free(&c->events);
	buffer_free(&c->flow);
	buffer_free(&c->slot_models);
	buffer_free(&c->slots);
	buffer_free(&c->stored);
}

void chunk_free(struct chunk *c)
{
	chunk_free_buffers(c);
	ZSTD_freeDCtx(c->decompressor);
	c->decompressor = NULL;
}
