/* SPDX-License-Identifier: MIT */
/* Makes a smaller trace of the same content, with modelled columns and a higher zstd level. */
#include <zstd.h>

#include "traceformat/common/error.h"
#include "traceformat/file/section.h"
#include "traceformat/pack/pack_chunk.h"
#include "traceformat/rewrite/rewrite.h"

enum { REPACK_LEVEL = 19, QUICK_LEVEL = 3 };

struct repack {
	struct tf_reader *r;
	struct tf_writer *w;
	ZSTD_CCtx *compressor;
	struct lane *lane;
	size_t *next_chunk; /* by thread: chunks seen so far */
	struct chunk chunk, packed;
	struct buffer payload, trial;
	void (*step)(void *opaque, uint64_t done); /* NULL: no one watches */
	void *opaque;
};

/* Returns the size that the column would have, or UINT64_MAX if memory is out. */
static uint64_t quick_size(struct repack *p, const struct buffer *raw)
{
	p->trial.size = 0;
	payload_encode(p->compressor, QUICK_LEVEL, raw->data, raw->size, &p->trial);
	return p->trial.failed ? UINT64_MAX : p->trial.size;
}

/* Returns the size that columns as recorded would have. */
static uint64_t quick_sizes(struct repack *p, const struct out_column *columns, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += quick_size(p, columns[i].raw);
	return sum;
}

/* Chooses the columns of the chunk; returns how many. */
static unsigned choose_columns(struct repack *p, struct out_column *out)
{
	const struct chunk *c = &p->chunk, *m = &p->packed;
	const struct out_column flow[] = {
		{ COLUMN_FLOW_RUNS, CODING_PREDICTED, REPACK_LEVEL, &c->runs },
		{ COLUMN_FLOW_MISSES, CODING_PREDICTED, REPACK_LEVEL, &c->residuals },
	}, slots[] = {
		{ COLUMN_SLOT_HITS, CODING_PREDICTED, REPACK_LEVEL, &c->hits },
		{ COLUMN_SLOT_MISSES_0, CODING_PREDICTED, REPACK_LEVEL, &c->slot_residuals[0] },
		{ COLUMN_SLOT_MISSES_0 + 1, CODING_PREDICTED, REPACK_LEVEL, &c->slot_residuals[1] },
		{ COLUMN_SLOT_MISSES_0 + 2, CODING_PREDICTED, REPACK_LEVEL, &c->slot_residuals[2] },
		{ COLUMN_SLOT_MISSES_0 + 3, CODING_PREDICTED, REPACK_LEVEL, &c->slot_residuals[3] },
		{ COLUMN_SLOT_SOURCES, CODING_PREDICTED, REPACK_LEVEL, &c->slot_sources },
	};
	enum { N_FLOW = sizeof(flow) / sizeof(*flow), N_SLOTS = sizeof(slots) / sizeof(*slots) };
	uint64_t models = quick_size(p, &m->slot_models);
	unsigned n = 0;

	out[n++] = (struct out_column){ COLUMN_HEAD, CODING_PLAIN, 0, &c->head };
	if (m->flow.size && m->flow.size < quick_sizes(p, flow, N_FLOW)) {
		out[n++] = (struct out_column){ COLUMN_FLOW, CODING_MODELLED, 0, &m->flow };
	} else {
		memcpy(out + n, flow, sizeof(flow));
		n += N_FLOW;
	}
	out[n++] = (struct out_column){ COLUMN_PARTIALS, CODING_PLAIN, REPACK_LEVEL, &c->partials };
	if (m->slots.size && dictionary_plausible(models, m->slot_models.size) &&
	    m->slots.size + models < quick_sizes(p, slots, N_SLOTS)) {
		out[n++] = (struct out_column){ COLUMN_SLOT_MODELS, CODING_PLAIN, QUICK_LEVEL,
						&m->slot_models };
		out[n++] = (struct out_column){ COLUMN_SLOTS, CODING_MODELLED, 0, &m->slots };
	} else {
		memcpy(out + n, slots, sizeof(slots));
		n += N_SLOTS;
	}
	out[n++] = (struct out_column){ COLUMN_EVENTS, CODING_PLAIN, REPACK_LEVEL, &c->events };
	return n;
}

static bool build_payload(struct repack *p)
{
	struct out_column columns[OUT_COLUMNS];
	unsigned n = choose_columns(p, columns);

	return columns_build(p->compressor, columns, n, &p->payload);
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
	struct tf_totals counted;
	int status = rewrite_check_chunk(p->r, p->lane, s, p->next_chunk[s->thread]++, &counted,
					 error);

	if (status == 0)
		status = chunk_read(p->r, s, parts, &p->chunk, error);
	if (status == 0 && (s->extra > p->r->exits.count || !reader_has_thread(p->r, s->thread)))
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
	totals_add(&t->totals, &counted);
	return 0;
}

/* Compresses any other section anew, unless it must be stored or is of unknown kind. */
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

		if (s->kind == SECTION_END || s->kind == SECTION_COPIES ||
		    (section_known(s) <= 0 && !(s->flags & SECTION_SAFE_TO_COPY)))
			continue;
		status = is_chunk(s) ? repack_chunk(p, s, error) : repack_other(p, s, error);
		if (p->step)
			p->step(p->opaque, s->offset + section_span(s));
	}
	return status;
}

static int prepare(struct repack *p, struct tf_error *error)
{
	p->next_chunk = calloc(p->r->chunks.count + 1, sizeof(*p->next_chunk));
	p->lane = lane_for_checks(p->r);
	return p->next_chunk && p->lane ? 0 : fail_memory(error);
}

int tf_repack(struct tf_reader *r, const char *to, struct tf_error *error)
{
	return tf_repack_watched(r, to, NULL, NULL, error);
}

int tf_repack_watched(struct tf_reader *r, const char *to,
		      void (*step)(void *opaque, uint64_t done), void *opaque,
		      struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.level = REPACK_LEVEL,
		.created_ns = r->created_ns ? r->created_ns : UINT64_MAX,
	};
	struct repack p = {
		.r = r,
		.compressor = ZSTD_createCCtx(),
		.step = step,
		.opaque = opaque,
	};
	int status = p.compressor ? rewrite_check_whole(r, error) : fail_memory(error), fd = -1;

	if (status == 0)
		status = fd = rewrite_open(r, to, error);
	if (fd >= 0)
		status = writer_open(fd, to, &options, r->compat, &p.w, error);
	if (status == 0)
		status = rewrite_add_threads(r, p.w, error);
	if (status == 0)
		status = prepare(&p, error);
	if (status == 0)
		status = repack_sections(&p, error);
	if (status == 0) {
		rewrite_note_origin(r, p.w, "repacked-from");
		status = rewrite_finish(r, p.w, error);
	}
	tf_writer_free(p.w);
	lane_free(p.lane);
	free(p.next_chunk);
	chunk_free(&p.chunk);
	chunk_free(&p.packed);
	buffer_free(&p.payload);
	buffer_free(&p.trial);
	ZSTD_freeCCtx(p.compressor);
	if (fd >= 0)
		rewrite_close(fd, to, status);
	return status;
}
