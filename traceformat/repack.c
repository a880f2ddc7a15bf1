/* SPDX-License-Identifier: MIT */
/* Making a smaller trace of the same content: modelled columns, and a higher zstd level. */
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "error.h"
#include "pack_chunk.h"
#include "rewrite.h"

enum { REPACK_LEVEL = 19, QUICK_LEVEL = 3, N_COLUMNS = 10 };

struct repack {
	struct tf_reader *r;
	struct tf_writer *w;
	ZSTD_CCtx *compressor;
	struct chunk chunk, packed;
	struct buffer payload, trial;
};

/* A column to be written. */
struct out_column {
	enum column id;
	enum coding { PLAIN = CODING_PLAIN, PREDICTED = CODING_PREDICTED,
		      MODELLED = CODING_MODELLED } coding;
	const struct buffer *raw;
};

/* The size that the column would have; UINT64_MAX if memory is out. */
static uint64_t quick_size(struct repack *p, const struct buffer *raw)
{
	p->trial.size = 0;
	payload_encode(p->compressor, QUICK_LEVEL, raw->data, raw->size, &p->trial);
	return p->trial.failed ? UINT64_MAX : p->trial.size;
}

static bool smaller(struct repack *p, const struct buffer *modelled, uint64_t beside,
		    const struct buffer *one, const struct buffer *two)
{
	return modelled->size && modelled->size + beside < quick_size(p, one) + quick_size(p, two);
}

/* Chooses the columns of the chunk; returns how many. */
static unsigned choose_columns(struct repack *p, struct out_column *out)
{
	const struct chunk *c = &p->chunk, *m = &p->packed;
	uint64_t models = quick_size(p, &m->slot_models);
	unsigned n = 0;

	out[n++] = (struct out_column){ COLUMN_HEAD, PLAIN, &c->head };
	if (smaller(p, &m->flow, 0, &c->runs, &c->misses)) {
		out[n++] = (struct out_column){ COLUMN_FLOW, MODELLED, &m->flow };
	} else {
		out[n++] = (struct out_column){ COLUMN_FLOW_RUNS, PREDICTED, &c->runs };
		out[n++] = (struct out_column){ COLUMN_FLOW_MISSES, PREDICTED, &c->misses };
	}
	out[n++] = (struct out_column){ COLUMN_PARTIALS, PLAIN, &c->partials };
	if (dictionary_plausible(models, m->slot_models.size) &&
	    smaller(p, &m->slots, models, &c->hits, &c->slot_misses)) {
		out[n++] = (struct out_column){ COLUMN_SLOT_MODELS, PLAIN, &m->slot_models };
		out[n++] = (struct out_column){ COLUMN_SLOTS, MODELLED, &m->slots };
	} else {
		out[n++] = (struct out_column){ COLUMN_SLOT_HITS, PREDICTED, &c->hits };
		out[n++] = (struct out_column){ COLUMN_SLOT_MISSES, PREDICTED, &c->slot_misses };
	}
	out[n++] = (struct out_column){ COLUMN_EVENTS, PLAIN, &c->events };
	return n;
}

/* Builds the payload of columns (FORMAT.md 2.4). */
static bool build_payload(struct repack *p)
{
	struct out_column columns[N_COLUMNS];
	unsigned n = choose_columns(p, columns);
	size_t table = 8 + n * COLUMN_DESCRIPTOR_SIZE;
	struct buffer *b = &p->payload;

	b->size = 0;
	if (!buffer_reserve(b, table))
		return false;
	memset(b->data, 0, table);
	put_le16(b->data, (uint16_t)n);
	b->size = table;
	for (unsigned i = 0; i < n; i++) {
		const struct buffer *raw = columns[i].raw;
		enum codec codec = CODEC_STORED;
		size_t before = b->size;
		uint8_t *d;

		if (columns[i].id == COLUMN_HEAD || columns[i].coding == MODELLED)
			put_bytes(b, raw->data, raw->size);
		else
			codec = payload_encode(p->compressor, columns[i].id == COLUMN_SLOT_MODELS ?
					       QUICK_LEVEL : REPACK_LEVEL, raw->data, raw->size, b);
		if (b->failed)
			return false;
		d = b->data + 8 + i * COLUMN_DESCRIPTOR_SIZE;
		put_le16(d, (uint16_t)columns[i].id);
		d[2] = (uint8_t)columns[i].coding;
		d[3] = (uint8_t)codec;
		put_le64(d + 8, b->size - before);
		put_le64(d + 16, raw->size);
		put_le64(d + 24, XXH3_64bits(b->data + before, b->size - before));
	}
	return true;
}

static int write_payload(struct repack *p, struct section *s, struct tf_error *error)
{
	return writer_section(p->w, s, p->payload.data, p->payload.size, error);
}

static int repack_chunk(struct repack *p, const struct section *s, struct tf_error *error)
{
	unsigned parts = CHUNK_FLOW | CHUNK_SLOTS | CHUNK_EVENTS;
	struct writer_thread *t;
	struct section copy = *s;
	int status = chunk_read(p->r, s, parts, &p->chunk, error);

	if (status == 0 && (s->extra > p->r->exits.count || s->thread >= p->w->threads.count))
		status = fail_section(p->r, s, error, "what it names is not there");
	if (status == 0)
		status = chunk_unpack(p->r, parts, &p->chunk, error);
	if (status == 0 && (chunk_pack(p->r, &p->chunk, &p->packed) < 0 || !build_payload(p)))
		status = fail_memory(error);
	if (status == 0)
		status = write_payload(p, &copy, error);
	if (status < 0)
		return status;
	t = fixed_vector_at(&p->w->threads, s->thread);
	totals_add(&t->totals, &p->chunk.totals);
	return 0;
}

/* Any other section: compressed anew, unless it is stored by rule or not known. */
static int repack_other(struct repack *p, const struct section *s, struct tf_error *error)
{
	struct section copy = *s;
	int status;

	if (section_known(s) <= 0 || s->kind == SECTION_META) {
		status = reader_stored(p->r, s, &p->payload, error);
		return status < 0 ? status : write_payload(p, &copy, error);
	}
	status = reader_payload(p->r, s, &p->trial, error);
	if (status < 0)
		return status;
	p->payload.size = 0;
	copy.codec = payload_encode(p->compressor, REPACK_LEVEL, p->trial.data, p->trial.size,
				    &p->payload);
	copy.raw = p->trial.size;
	return p->payload.failed ? fail_memory(error) : write_payload(p, &copy, error);
}

static int repack_sections(struct repack *p, struct tf_error *error)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < p->r->sections.count; i++) {
		const struct section *s = &p->r->sections.at[i];

		if (s->kind == SECTION_END || (section_known(s) <= 0 &&
					       !(s->flags & SECTION_SAFE_TO_COPY)))
			continue;
		status = is_chunk(s) ? repack_chunk(p, s, error) : repack_other(p, s, error);
	}
	return status;
}

/* Only a whole trace is repacked: of another, nobody could say that nothing was lost by it. */
static int check_whole(struct tf_reader *r, struct tf_error *error)
{
	struct tf_info info;
	int status = tf_load(r, error);

	if (status == 0)
		status = tf_get_info(r, &info, error);
	if (status == 0 && !info.complete)
		status = fail(error, TF_E_DAMAGED,
			      "%s: is unfinished or damaged; use trace-repair first", r->name);
	return status;
}

int tf_repack(struct tf_reader *r, const char *to, struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.level = REPACK_LEVEL,
		.created_ns = r->created_ns ? r->created_ns : UINT64_MAX,
	};
	struct repack p = { .r = r, .compressor = ZSTD_createCCtx() };
	int status = p.compressor ? check_whole(r, error) : fail_memory(error), fd = -1;

	if (status == 0)
		status = fd = rewrite_open(r, to, error);
	if (fd >= 0)
		status = writer_open(fd, to, &options, r->compat, &p.w, error);
	if (status == 0)
		status = rewrite_add_threads(r, p.w, error);
	if (status == 0)
		status = repack_sections(&p, error);
	if (status == 0) {
		rewrite_note_origin(r, p.w, "repacked-from");
		status = rewrite_finish(r, p.w, error);
	}
	tf_writer_free(p.w);
	chunk_free(&p.chunk);
	chunk_free(&p.packed);
	buffer_free(&p.payload);
	buffer_free(&p.trial);
	ZSTD_freeCCtx(p.compressor);
	if (fd >= 0)
		close(fd);
	return status;
}
