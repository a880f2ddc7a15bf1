/* SPDX-License-Identifier: MIT */
#include "traceformat/file/section.h"

#include <xxhash.h>

#define ZSTD_STATIC_LINKING_ONLY /* a parameter: libraries without it make larger traces */
#include <zstd.h>

/* Bytes 8 .. 63 of a section's header, and of its entry in the index, are alike. */
static void put_description(uint8_t *at, const struct section *s)
{
	put_le16(at + 8, s->kind);
	at[10] = s->version;
	at[11] = s->flags;
	put_le32(at + 12, s->thread);
	put_le32(at + 16, s->number);
	put_le32(at + 20, s->codec);
	put_le64(at + 24, s->stored);
	put_le64(at + 32, s->raw);
	put_le64(at + 40, s->first);
	put_le64(at + 48, s->count);
	put_le32(at + 56, s->extra);
	put_le32(at + 60, 0);
}

static void take_description(const uint8_t *at, struct section *s)
{
	s->kind = get_le16(at + 8);
	s->version = at[10];
	s->flags = at[11];
	s->thread = get_le32(at + 12);
	s->number = get_le32(at + 16);
	s->codec = get_le32(at + 20);
	s->stored = get_le64(at + 24);
	s->raw = get_le64(at + 32);
	s->first = get_le64(at + 40);
	s->count = get_le64(at + 48);
	s->extra = get_le32(at + 56);
}

void section_header_write(const struct section *s, uint64_t hash, uint8_t *h)
{
	memcpy(h, SECTION_SYNC, 8);
	put_description(h, s);
	put_le64(h + 64, hash);
	put_le64(h + 72, XXH3_64bits(h, 72));
}

bool section_header_read(const uint8_t *h, struct section *s, uint64_t *hash)
{
	if (memcmp(h, SECTION_SYNC, 8) || get_le64(h + 72) != XXH3_64bits(h, 72) ||
	    get_le32(h + 60) != 0)
		return false;
	take_description(h, s);
	*hash = get_le64(h + 64);
	return s->stored <= UINT64_MAX / 2;
}

void index_entry_write(const struct section *s, uint8_t *e)
{
	put_le64(e, s->offset);
	put_description(e, s);
}

void index_entry_read(const uint8_t *e, struct section *s)
{
	s->offset = get_le64(e);
	take_description(e, s);
}

uint64_t payload_hash(uint32_t codec, const uint8_t *payload, size_t size)
{
	size_t table = size;

	if (codec == CODEC_COLUMNS && size >= 8)
		table = 8 + get_le16(payload) * (size_t)COLUMN_DESCRIPTOR_SIZE;
	return XXH3_64bits(payload, table < size ? table : size);
}

bool sizes_plausible(uint32_t codec, uint64_t stored, uint64_t raw)
{
	if (stored > MAX_RAW_SIZE * 2 || raw > MAX_RAW_SIZE)
		return false;
	if (codec == CODEC_STORED)
		return stored == raw;
	return codec == CODEC_ZSTD && raw <= stored * MAX_EXPANSION;
}

int payload_decode(void **context, uint32_t codec, const uint8_t *stored, uint64_t stored_size,
		   uint8_t *out, uint64_t raw_size)
{
	if (!sizes_plausible(codec, stored_size, raw_size))
		return TF_E_DAMAGED;
	if (codec == CODEC_STORED) {
		if (raw_size)
			memcpy(out, stored, raw_size);
		return 0;
	}
	if (!*context && !(*context = ZSTD_createDCtx()))
		return TF_E_MEMORY;
	return ZSTD_decompressDCtx(*context, out, raw_size, stored, stored_size) == raw_size
		       ? 0
		       : TF_E_DAMAGED;
}

/*
 * Sets parameters for recording at level 1: an eighth faster, at the cost of one or two per cent
 * more bytes.
 */
static void search_less(ZSTD_CCtx *context)
{
	enum { STEP = 2 }; /* bytes that are not looked up between those that are */

	ZSTD_CCtx_setParameter(context, ZSTD_c_targetLength, STEP);
	ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
}

/*
 * Sets parameters for data that repeats only at long distances: a large data structure that is
 * walked over and over.
 */
static void search_far(ZSTD_CCtx *context)
{
	enum { WINDOW_LOG = 24 };

	ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, WINDOW_LOG);
}

/*
 * Returns true if more than a few stretches of the data occur in the data before. Compares some
 * 4000 places, chosen by the bytes there, so that the same bytes are chosen wherever they are.
 */
static bool repeats(const uint8_t *data, size_t size)
{
	enum { PLACES_LOG = 12, TABLE_LOG = PLACES_LOG + 1, FEW = 32 };
	unsigned one_in = 63 - (unsigned)__builtin_clzll(size) - PLACES_LOG; /* a power of 2 */
	uint32_t seen[1 << TABLE_LOG] = { 0 };
	size_t places = 0, found = 0;

	for (size_t i = 0; i + 8 <= size; i++) {
		uint64_t hash = get_le64(data + i) * UINT64_C(0x9e3779b97f4a7c15);
		uint32_t *before;

		if (hash >> (64 - one_in))
			continue;
		before = &seen[hash >> (64 - one_in - TABLE_LOG)];
		found += *before == (uint32_t)hash;
		places++;
		*before = (uint32_t)hash;
	}
	return found * FEW > places;
}

static size_t compress(ZSTD_CCtx *context, int level, void (*search)(ZSTD_CCtx *), uint8_t *to,
		       size_t room, const uint8_t *data, size_t size)
{
	size_t packed;

	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	if (search)
		search(context);
	packed = ZSTD_compress2(context, to, room, data, size);
	ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
	return packed;
}

enum codec payload_encode(void *context, int level, const uint8_t *data, size_t size,
			  struct buffer *out)
{
	enum { LARGE = 256 << 10 };
	size_t room = ZSTD_compressBound(size), packed;

	if (size >= 64 && buffer_reserve(out, room)) {
		uint8_t *to = out->data + out->size;

		packed = compress(context, level, level == 1 ? search_less : NULL, to, room, data,
				  size);
		if (level > 0 && size >= LARGE && packed > size - size / 8 && repeats(data, size))
			packed = compress(context, level, search_far, to, room, data, size);
		if (!ZSTD_isError(packed) && packed < size) {
			out->size += packed;
			return CODEC_ZSTD;
		}
	}
	put_bytes(out, data, size);
	return CODEC_STORED;
}

bool meta_key_valid(const char *key, size_t size)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";

	for (size_t i = 0; i < size; i++)
		if (!memchr(allowed, key[i], sizeof(allowed) - 1))
			return false;
	return size != 0;
}

bool kind_name_valid(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_";
	size_t length = strspn(name, allowed);

	return !name[length] && length <= TF_MAX_KIND_TEXT;
}

int section_known(const struct section *s)
{
	bool has_versions = s->kind == SECTION_VECTORS || s->kind == SECTION_INTERVALS;
	bool known = tf_section_kind_name(s->kind)[0] != '(' && s->version <= has_versions &&
		     !(s->flags & ~SECTION_FLAGS_KNOWN);

	return known ? 1 : s->flags & SECTION_CRITICAL ? -1 : 0;
}

const char *tf_section_kind_name(uint16_t kind)
{
	switch (kind) {
	case SECTION_META: return "META";
	case SECTION_MODULES: return "MODULES";
	case SECTION_SYMBOLS: return "SYMBOLS";
	case SECTION_PROCESSES: return "PROCESSES";
	case SECTION_THREADS: return "THREADS";
	case SECTION_MAPPINGS: return "MAPPINGS";
	case SECTION_FUNCTIONS: return "FUNCTIONS";
	case SECTION_REGIONS: return "REGIONS";
	case SECTION_BLOCKS: return "BLOCKS";
	case SECTION_PATHS: return "PATHS";
	case SECTION_SAMPLERS: return "SAMPLERS";
	case SECTION_KINDS: return "KINDS";
	case SECTION_CHUNK: return "CHUNK";
	case SECTION_SCHEDULE: return "SCHEDULE";
	case SECTION_SAMPLES: return "SAMPLES";
	case SECTION_VECTORS: return "VECTORS";
	case SECTION_INTERVALS: return "INTERVALS";
	case SECTION_COPIES: return "COPIES";
	case SECTION_END: return "END";
	case SECTION_INDEX: return "INDEX";
	}
	return "(unknown)";
}

const char *tf_column_name(unsigned id)
{
	switch (id) {
	case COLUMN_HEAD: return "head";
	case COLUMN_FLOW_RUNS: return "flow-runs";
	case COLUMN_FLOW_MISSES: return "flow-misses";
	case COLUMN_PARTIALS: return "partials";
	case COLUMN_FLOW: return "flow";
	case COLUMN_SLOT_HITS: return "slot-hits";
	case COLUMN_SLOT_MISSES: return "slot-misses";
	case COLUMN_SLOT_MODELS: return "slot-models";
	case COLUMN_SLOTS: return "slots";
	case COLUMN_SLOT_MISSES_0: return "slot-misses-0";
	case COLUMN_SLOT_MISSES_0 + 1: return "slot-misses-1";
	case COLUMN_SLOT_MISSES_0 + 2: return "slot-misses-2";
	case COLUMN_SLOT_MISSES_0 + 3: return "slot-misses-3";
	case COLUMN_SLOT_SOURCES: return "slot-sources";
	case COLUMN_EVENTS: return "events";
	}
	return "(unknown)";
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_written(const struct out_column *c)
{
	return c->raw->size || c->id == COLUMN_HEAD;
}

/* Appends a column, and fills its descriptor, which stands at `descriptor` of the payload. */
static bool put_column(void *compressor, const struct out_column *c, size_t descriptor,
		       struct buffer *payload)
{
	size_t before = payload->size;
	enum codec codec = CODEC_STORED;
	uint8_t *d;

	if (c->level)
		codec = payload_encode(compressor, c->level, c->raw->data, c->raw->size, payload);
	else
		put_bytes(payload, c->raw->data, c->raw->size);
	if (payload->failed || c->raw->failed)
		return false;
	d = payload->data + descriptor;
	put_le16(d, c->id);
	d[2] = c->coding;
	d[3] = (uint8_t)codec;
	put_le64(d + 8, payload->size - before);
	put_le64(d + 16, c->raw->size);
	put_le64(d + 24, XXH3_64bits(payload->data + before, payload->size - before));
	return true;
}

bool columns_build(void *compressor, const struct out_column *columns, unsigned n,
		   struct buffer *payload)
{
	size_t descriptor = 8, count = 0;

	for (unsigned i = 0; i < n; i++)
		count += is_written(&columns[i]);
	payload->size = 0;
	if (!buffer_reserve(payload, 8 + count * COLUMN_DESCRIPTOR_SIZE))
		return false;
	payload->size = 8 + count * COLUMN_DESCRIPTOR_SIZE;
	memset(payload->data, 0, payload->size);
	put_le16(payload->data, (uint16_t)count);
	for (unsigned i = 0; i < n; i++) {
		if (!is_written(&columns[i]))
			continue;
		if (!put_column(compressor, &columns[i], descriptor, payload))
			return false;
		descriptor += COLUMN_DESCRIPTOR_SIZE;
	}
	return true;
}
