/* SPDX-License-Identifier: MIT */
/* Makes a smaller trace of the same content, with modeled columns and a higher zstd level. */
#include <zstd.h>

#include "traceformat/common/error.h"
#include "traceformat/common/ordered_tasks.h"
#include "traceformat/file/section.h"
#include "traceformat/pack/pack_chunk.h"
#include "traceformat/rewrite/rewrite.h"

enum { REPACK_LEVEL = 19, QUICK_LEVEL = 3 };

/* The memory of a thread that packs. */
struct packer {
	struct tf_reader *r;
	ZSTD_CCtx *compressor;
	struct lane *lane;
	struct chunk chunk, packed;
	struct buffer trial;
};

/* A section to be written. */
struct packed {
	struct section section;
	struct buffer payload;
	struct tf_totals counted; /* of a chunk */
	int status;
	struct tf_error error;
};

/* A section of the old trace. */
struct task {
	const struct section *section;
	size_t chunk; /* its number in its thread, if it is one */
};

struct repack {
	struct tf_reader *r;
	struct tf_writer *w;
	struct task *tasks;
	size_t n_tasks;
	unsigned jobs;
	struct packer *packers;                    /* by worker */
	struct packed *packed;                     /* by task, modulo the window */
	void (*step)(void *opaque, uint64_t done); /* NULL: no one watches */
	void *opaque;
	struct tf_error *error;
};

/* Returns the size that the column would have, or UINT64_MAX if memory is out. */
static uint64_t quick_size(struct packer *p, const struct buffer *raw)
{
	p->trial.size = 0;
	payload_encode(p->compressor, QUICK_LEVEL, raw->data, raw->size, &p->trial);
	return p->trial.failed ? UINT64_MAX : p->trial.size;
}

/* Returns the size that columns as recorded would have. */
static uint64_t quick_sizes(struct packer *p, const struct out_column *columns, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += quick_size(p, columns[i].raw);
	return sum;
}

/* Chooses the columns of the chunk; returns how many. */
static unsigned choose_columns(struct packer *p, struct out_column *out)
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

static bool build_payload(struct packer *p, struct buffer *payload)
{
	struct out_column columns[OUT_COLUMNS];
	unsigned n = choose_columns(p, columns);

	return columns_build(p->compressor, columns, n, payload);
}

static int pack_chunk(struct packer *p, const struct task *task, struct packed *out)
{
	unsigned parts = CHUNK_FLOW | CHUNK_SLOTS | CHUNK_EVENTS;
	const struct section *s = task->section;
	struct tf_error *error = &out->error;
	int status = rewrite_check_chunk(p->r, p->lane, s, task->chunk, &out->counted, error);

	if (status == 0)
		status = chunk_read(p->r, s, parts, &p->chunk, error);
	if (status == 0 && (s->extra > p->r->exits.count || !reader_has_thread(p->r, s->thread)))
		status = fail_section(p->r, s, error, "what it names is not there");
	if (status == 0)
		status = chunk_unpack(p->r, parts, &p->chunk, error);
	if (status == 0 &&
	    (chunk_pack(p->r, &p->chunk, &p->packed) < 0 || !build_payload(p, &out->payload)))
		status = fail_memory(error);
	return status;
}

/* Compresses any other section anew, unless it must be stored or is of unknown kind. */
static int pack_other(struct packer *p, const struct section *s, struct packed *out)
{
	int status;

	if (section_known(s) <= 0 || s->kind == SECTION_META)
		return reader_stored(p->r, s, &out->payload, &out->error);
	status = reader_payload(p->r, s, &p->trial, &out->error);
	if (status < 0)
		return status;
	out->payload.size = 0;
	out->section.codec = payload_encode(p->compressor, REPACK_LEVEL, p->trial.data,
					    p->trial.size, &out->payload);
	out->section.raw = p->trial.size;
	return out->payload.failed ? fail_memory(&out->error) : 0;
}

static struct packed *packed_of(struct repack *p, size_t i)
{
	return &p->packed[i % ordered_tasks_window(p->jobs)];
}

static void pack_section(void *opaque, unsigned worker, size_t i)
{
	struct repack *p = opaque;
	const struct task *task = &p->tasks[i];
	struct packed *out = packed_of(p, i);

	out->section = *task->section;
	out->status = is_chunk(task->section) ? pack_chunk(&p->packers[worker], task, out)
					      : pack_other(&p->packers[worker], task->section, out);
}

static int write_section(void *opaque, size_t i)
{
	struct repack *p = opaque;
	struct packed *out = packed_of(p, i);
	const struct section *s = p->tasks[i].section;

	if (out->status < 0) {
		if (p->error)
			*p->error = out->error;
		return out->status;
	}
	int status = writer_section(p->w, &out->section, out->payload.data, out->payload.size,
				    p->error);

	if (status == 0 && is_chunk(s)) {
		struct writer_thread *t = fixed_vector_at(&p->w->threads, s->thread);

		totals_add(&t->totals, &out->counted);
	}
	if (p->step)
		p->step(p->opaque, s->offset + section_span(s));
	return status;
}

/* ---- the whole ---------------------------------------------------------------------------- */

static bool is_left_out(const struct section *s)
{
	return s->kind == SECTION_END || s->kind == SECTION_COPIES ||
	       (section_known(s) <= 0 && !(s->flags & SECTION_SAFE_TO_COPY));
}

static int list_tasks(struct repack *p, struct tf_error *error)
{
	size_t *next_chunk = calloc(p->r->chunks.count + 1, sizeof(*next_chunk));

	p->tasks = calloc(p->r->sections.count + 1, sizeof(*p->tasks));
	if (!next_chunk || !p->tasks) {
		free(next_chunk);
		return fail_memory(error);
	}
	for (size_t i = 0; i < p->r->sections.count; i++) {
		const struct section *s = &p->r->sections.at[i];

		if (!is_left_out(s))
			p->tasks[p->n_tasks++] = (struct task){ s, is_chunk(s)
									   ? next_chunk[s->thread]++
									   : 0 };
	}
	free(next_chunk);
	return 0;
}

static int begin_packers(struct repack *p, struct tf_error *error)
{
	p->packers = calloc(p->jobs, sizeof(*p->packers));
	p->packed = calloc(ordered_tasks_window(p->jobs), sizeof(*p->packed));
	for (unsigned i = 0; p->packers && i < p->jobs; i++) {
		struct packer *packer = &p->packers[i];

		packer->r = p->r;
		packer->compressor = ZSTD_createCCtx();
		packer->lane = lane_for_checks(p->r);
		if (!packer->compressor || !packer->lane)
			return fail_memory(error);
	}
	return p->packers && p->packed ? 0 : fail_memory(error);
}

static void free_repack(struct repack *p)
{
	for (unsigned i = 0; p->packers && i < p->jobs; i++) {
		struct packer *packer = &p->packers[i];

		lane_free(packer->lane);
		chunk_free(&packer->chunk);
		chunk_free(&packer->packed);
		buffer_free(&packer->trial);
		ZSTD_freeCCtx(packer->compressor);
	}
	for (size_t i = 0; p->packed && i < ordered_tasks_window(p->jobs); i++)
		buffer_free(&p->packed[i].payload);
	free(p->packed);
	free(p->packers);
	free(p->tasks);
}

static int repack_sections(struct repack *p, struct tf_error *error)
{
	struct ordered_tasks tasks = {
		.n = p->n_tasks,
		.jobs = p->jobs,
		.opaque = p,
		.work = pack_section,
		.take = write_section,
	};

	p->error = error;
	return ordered_tasks_run(&tasks);
}

int tf_repack(struct tf_reader *r, const char *to, struct tf_error *error)
{
	return tf_repack_watched(r, to, NULL, NULL, error);
}

int tf_repack_watched(struct tf_reader *r, const char *to,
		      void (*step)(void *opaque, uint64_t done), void *opaque,
		      struct tf_error *error)
{
	return tf_repack_on_cores(r, to, 1, step, opaque, error);
}

int tf_repack_on_cores(struct tf_reader *r, const char *to, unsigned jobs,
		       void (*step)(void *opaque, uint64_t done), void *opaque,
		       struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.level = REPACK_LEVEL,
		.created_ns = r->created_ns ? r->created_ns : UINT64_MAX,
		.code_withheld = r->incompat & INCOMPAT_CODE_WITHHELD,
	};
	struct repack p = { .r = r, .jobs = jobs ? jobs : 1, .step = step, .opaque = opaque };
	int status = rewrite_check_whole(r, error), fd = -1;

	if (status == 0)
		status = fd = rewrite_open(r, to, error);
	if (fd >= 0)
		status = writer_open(fd, to, &options, r->compat, &p.w, error);
	if (status == 0)
		status = rewrite_add_threads(r, p.w, error);
	if (status == 0)
		status = list_tasks(&p, error);
	if (status == 0)
		status = begin_packers(&p, error);
	if (status == 0)
		status = repack_sections(&p, error);
	if (status == 0) {
		rewrite_note_origin(r, p.w, "repacked-from");
		status = rewrite_finish(r, p.w, error);
	}
	tf_writer_free(p.w);
	free_repack(&p);
	if (fd >= 0)
		rewrite_close(fd, to, status);
	return status;
}
