/* SPDX-License-Identifier: MIT */
/* Makes a finished trace from the usable parts of another one. */
#include <limits.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/rewrite.h"

struct repair {
	struct tf_reader *r;
	struct tf_writer *w;
	struct lane *lane;
	size_t *next_chunk; /* by thread: chunks seen so far */
	uint64_t *end;      /* by thread: ordinal after the chunk copied last */
	int left_out;
};

/* Copies the stored payload under a new number. */
static int copy_section(struct repair *p, const struct section *s, struct tf_error *error)
{
	struct section copy = *s;
	struct buffer payload = { 0 };
	int status = 0;

	if (s->codec != CODEC_COLUMNS)
		status = reader_stored(p->r, s, &payload, error);
	else if (buffer_reserve(&payload, s->stored + 1))
		status = reader_bytes(p->r, s->offset + SECTION_HEADER_SIZE, payload.data,
				      s->stored, error);
	else
		status = fail_memory(error);
	if (status == 0)
		status = writer_section(p->w, &copy, payload.data, s->stored, error);
	buffer_free(&payload);
	return status;
}

/* Adds the chunk to the thread's totals. Returns false if the chunk is not usable. */
static bool take_chunk(struct repair *p, const struct section *s)
{
	struct writer_thread *t;
	struct tf_totals counted;
	size_t k = p->next_chunk[s->thread]++;

	if (!reader_has_thread(p->r, s->thread) || s->first < p->end[s->thread] ||
	    rewrite_check_chunk(p->r, p->lane, s, k, &counted, NULL) < 0)
		return false;
	t = fixed_vector_at(&p->w->threads, s->thread);
	totals_add(&t->totals, &counted);
	p->end[s->thread] = s->first + s->count;
	return true;
}

static bool usable(struct repair *p, const struct section *s)
{
	if (is_chunk(s))
		return take_chunk(p, s);
	if (s->lost || s->kind == SECTION_CHUNK || section_check(p->r, s, NULL) < 0)
		return false;
	return section_known(s) > 0 || (s->flags & SECTION_SAFE_TO_COPY);
}

static int copy_sections(struct repair *p, struct tf_error *error)
{
	for (size_t i = 0; i < p->r->sections.count; i++) {
		const struct section *s = &p->r->sections.at[i];
		int status;

		if (s->kind == SECTION_END || s->kind == SECTION_COPIES)
			continue;
		if (!usable(p, s)) {
			p->left_out++;
			continue;
		}
		status = copy_section(p, s, error);
		if (status < 0)
			return status;
	}
	return 0;
}

static int prepare(struct repair *p, struct tf_error *error)
{
	p->next_chunk = calloc(p->r->chunks.count + 1, sizeof(*p->next_chunk));
	p->end = calloc(p->r->chunks.count + 1, sizeof(*p->end));
	p->lane = lane_for_checks(p->r);
	return p->next_chunk && p->end && p->lane ? 0 : fail_memory(error);
}

/*
 * Returns the number of sections that the new trace lacks, at most INT_MAX, since section numbers
 * may skip any amount.
 */
static int count_left_out(const struct repair *p)
{
	uint64_t n = (uint64_t)p->left_out + reader_missing(p->r) + (reader_tail(p->r) != 0);

	return n > INT_MAX ? INT_MAX : (int)n;
}

int tf_repair(struct tf_reader *r, const char *to, struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.created_ns = r->created_ns ? r->created_ns : UINT64_MAX,
		.code_withheld = r->incompat & INCOMPAT_CODE_WITHHELD,
	};
	uint32_t compat = r->compat | COMPAT_REPAIRED;
	struct repair p = { .r = r };
	int status = tf_load(r, error), fd;

	if (status < 0)
		return status;
	if (!reader_has_order(r))
		compat &= ~(uint32_t)COMPAT_ORDER_EXACT;
	fd = rewrite_open(r, to, error);
	if (fd < 0)
		return fd;
	status = writer_open(fd, to, &options, compat, &p.w, error);
	if (status == 0)
		status = rewrite_add_threads(r, p.w, error);
	if (status == 0)
		status = prepare(&p, error);
	if (status == 0)
		status = copy_sections(&p, error);
	if (status == 0) {
		rewrite_note_origin(r, p.w, "repaired-from");
		status = rewrite_finish(r, p.w, error);
	}
	tf_writer_free(p.w);
	lane_free(p.lane);
	free(p.next_chunk);
	free(p.end);
	rewrite_close(fd, to, status);
	return status < 0 ? status : count_left_out(&p);
}
