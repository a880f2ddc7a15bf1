/* SPDX-License-Identifier: MIT */
/*
 * Writes a thread's stream of a filtered trace. Each execution becomes those of its kept pieces;
 * gap events stand for the instructions removed between them, and all events stay at their places:
 *
 *	old   |kept|  removed  e  removed  |kept |
 *	new   |kept| gap       e  gap      |kept |
 */
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/filter.h"
#include "traceformat/rewrite/stream_source.h"
#include "traceformat/writer/stream.h"

/* An event inside an execution. */
struct inner_event {
	struct tf_event event;
	uint64_t ahead;
};

struct filtered_stream {
	struct filter *f;
	uint32_t thread;
	struct tf_stream *stream;
	struct stream_source source;
	uint64_t removed; /* instructions for which a gap is to be written */
	bool begun;
	bool simulates; /* the region behind a warm-up has begun */
	ARRAY(struct inner_event) inner;
	size_t next_inner;
	uint64_t values[TF_MAX_PATH_VALUES]; /* of the old execution */
	uint64_t *keep;                      /* by operand of the path: lanes */
	size_t keep_room;
	uint64_t slots[TF_MAX_PATH_SLOTS];
};

static int write_gap(struct filtered_stream *s, struct tf_error *error)
{
	struct tf_event gap = { .kind = TF_EVENT_GAP, .gap = { TF_GAP_SKIPPED, s->removed } };

	if (!s->removed)
		return 0;
	s->removed = 0;
	return tf_stream_event(s->stream, &gap, error);
}

/* Adds the kept instructions of a warm-up, which ends before `ordinal` of the new stream. */
static void end_warmup(struct filtered_stream *s, uint64_t ordinal)
{
	if (!s->simulates)
		s->f->warmup += ordinal;
	s->simulates = true;
}

/* Appends an event, `ahead` instructions into the piece that comes next. */
static int write_event(struct filtered_stream *s, struct tf_event *event, uint64_t ahead,
		       struct tf_error *error)
{
	int status = write_gap(s, error);

	if (event->kind == TF_EVENT_REGION_BEGIN && event->region.index == s->f->simulation)
		end_warmup(s, tf_stream_ordinal(s->stream) + ahead);
	if (status == 0)
		status = cut_event(&s->f->cut, event, error);
	return status < 0 ? status
			  : tf_stream_event_ahead(s->stream, event, (uint32_t)ahead, error);
}

static int take_event(struct filtered_stream *s, struct tf_error *error)
{
	struct tf_event event = s->source.events.event;

	if (event.kind > TF_EVENT_SEGMENT_BASE) {
		s->f->unknown_events++;
		return 0;
	}
	if (!s->source.ahead)
		return write_event(s, &event, 0, error);
	if (event.kind == TF_EVENT_EXEC) /* an exec cannot be inside of a path */
		return fail(error, TF_E_DAMAGED, "%s: an exec event stands inside an execution",
			    s->f->cut.r->name);
	if (!RESERVE(s->inner, s->inner.count + 1))
		return fail_memory(error);
	s->inner.at[s->inner.count++] = (struct inner_event){ event, s->source.ahead };
	return 0;
}

static int take_chunk(struct filtered_stream *s, struct tf_error *error)
{
	struct tf_event lost = { .kind = TF_EVENT_GAP, .gap = { TF_GAP_FAULT, s->source.missing } };

	if (!s->begun)
		tf_stream_registers(s->stream, 0, s->source.registers.segment[TF_SEGMENT_FS],
				    s->source.registers.segment[TF_SEGMENT_GS]);
	s->begun = true;
	return s->source.missing ? write_event(s, &lost, 0, error) : 0;
}

/* ---- the accesses that are kept ---------------------------------------------------------- */

/* Computes the values of the blocks that were executed, and asks which accesses are kept. */
static int choose_accesses(struct filtered_stream *s, const struct compiled_path *p, uint32_t n,
			   struct tf_error *error)
{
	const struct tf_filter *o = s->f->options;
	uint32_t value = 0, operand = 0, left = n;

	if (s->f->paths[p->path.id].n_operands >= s->keep_room) {
		s->keep_room = s->f->paths[p->path.id].n_operands + 1;
		free(s->keep);
		s->keep = malloc(s->keep_room * sizeof(*s->keep));
		if (!s->keep)
			return fail_memory(error);
	}
	for (unsigned k = 0; k < p->path.n_blocks && left; k++) {
		const struct tf_block *b = &p->blocks[k].block->block;
		struct tf_block_exec exec = {
			.block = b,
			.values = s->values + value,
			.executed = (uint16_t)(left < b->n_insns ? left : b->n_insns),
		};

		for (unsigned i = 0; i < b->n_values; i++)
			s->values[value + i] = path_value(p, value + i, s->source.execution.slots,
							  &s->source.registers);
		memset(s->keep + operand, 0, b->n_operands * sizeof(*s->keep));
		o->keep_accesses(o->opaque, s->thread, &exec, s->keep + operand);
		left -= exec.executed;
		value += b->n_values;
		operand += b->n_operands;
	}
	return 0;
}

/* Fills the slots of a piece. The values of a removed access are those of the execution before. */
static void fill_slots(struct filtered_stream *s, struct filter_piece *piece)
{
	for (uint32_t i = 0; i < piece->n_slots; i++) {
		const struct filter_slot *from = &piece->sources[i];
		uint64_t v = piece->last[i];

		switch (from->kind) {
		case FILTER_OLD_SLOT: v = s->source.execution.slots[from->number]; break;
		case FILTER_RSP: v = s->source.registers.rsp; break;
		case FILTER_VALUE:
			if (s->keep[from->operand])
				v = s->values[from->number];
			break;
		case FILTER_MASK:
			v = s->keep[from->operand];
			if (from->number == FILTER_NO_MASK)
				v &= 1;
			else
				v &= s->values[from->number];
			break;
		}
		piece->last[i] = s->slots[i] = v;
	}
}

/* ---- executions -------------------------------------------------------------------------- */

/* Returns the outcome of the piece that ends after `end` of the `n` instructions executed. */
static enum tf_outcome outcome_of(const struct execution *e, uint32_t end, uint32_t n)
{
	const struct compiled_path *p = e->exit->path;
	uint32_t at = 0;

	for (unsigned k = 0; k < p->path.n_blocks; k++) {
		at += p->blocks[k].n_insns;
		if (at == end)
			return path_outcome(p, k, n - end, e->exit->outcome);
		if (at > end)
			break;
	}
	return end == n && left_inside(e) ? TF_PARTIAL : TF_NOT_TAKEN;
}

/* Writes the events inside the execution before place `until` of it; all before `at` is written. */
static int take_inner(struct filtered_stream *s, uint32_t *at, uint64_t until,
		      struct tf_error *error)
{
	int status = 0;

	while (status == 0 && s->next_inner < s->inner.count &&
	       s->inner.at[s->next_inner].ahead <= until) {
		struct inner_event *inner = &s->inner.at[s->next_inner++];

		s->removed += inner->ahead - *at;
		*at = (uint32_t)inner->ahead;
		status = write_event(s, &inner->event, 0, error);
	}
	return status;
}

/* States the segment bases if a piece must have others than those that readers know. */
static void state_bases(struct filtered_stream *s)
{
	const uint64_t *bases = s->source.registers.segment;

	if (memcmp(bases, s->stream->registers.segment, sizeof(s->stream->registers.segment)))
		tf_stream_registers(s->stream, s->stream->registers.rsp, bases[TF_SEGMENT_FS],
				    bases[TF_SEGMENT_GS]);
}

static int write_piece(struct filtered_stream *s, struct kept_range range, uint32_t n,
		       struct tf_error *error)
{
	const struct execution *e = &s->source.execution;
	enum tf_outcome outcome = outcome_of(e, range.end, n);
	bool chosen = s->f->options->keep_accesses;
	struct filter_piece *piece;
	int status = write_gap(s, error);

	if (status == 0)
		status = filter_find_piece(s->f, e->exit->path, range, outcome,
					   chosen ? s->keep : NULL, &piece, error);
	while (status == 0 && s->next_inner < s->inner.count &&
	       s->inner.at[s->next_inner].ahead < range.end) {
		struct inner_event *inner = &s->inner.at[s->next_inner++];

		status = write_event(s, &inner->event, inner->ahead - range.first, error);
	}
	if (status < 0)
		return status;
	fill_slots(s, piece);
	state_bases(s);
	if (outcome == TF_PARTIAL)
		return tf_stream_partial(s->stream, piece->path, range.end - range.first, s->slots,
					 piece->n_slots, s->stream->registers.rsp, error);
	return tf_stream_exec(s->stream, piece->exit, s->slots, error);
}

static int take_execution(struct filtered_stream *s, struct tf_error *error)
{
	const struct execution *e = &s->source.execution;
	const struct compiled_path *p = e->exit->path;
	uint32_t n = (uint32_t)(e->end - e->first), at = 0;
	const struct filter_path *kept = filter_path(s->f, p);
	int status = kept ? 0 : fail_memory(error);

	if (status == 0 && p->uses_rsp && !s->source.rsp_known)
		status = fail_section(s->f->cut.r, &s->source.chunk.section, error,
				      "rsp is not known where it is needed");
	for (uint32_t i = e->n_slots; status == 0 && i < p->path.n_slots; i++)
		s->source.walk->slots[i] = 0; /* FORMAT.md 5.4 */
	if (status == 0 && s->f->options->keep_accesses)
		status = choose_accesses(s, p, n, error);
	for (size_t i = 0; status == 0 && i < kept->kept.count; i++) {
		struct kept_range range = kept->kept.at[i];

		if (range.first >= n)
			break;
		if (range.end > n)
			range.end = n;
		status = take_inner(s, &at, range.first, error);
		s->removed += range.first - at;
		at = range.end;
		if (status == 0)
			status = write_piece(s, range, n, error);
	}
	if (status == 0)
		status = take_inner(s, &at, UINT64_MAX, error);
	s->removed += n - at;
	s->inner.count = s->next_inner = 0;
	return status;
}

static int take_all(struct filtered_stream *s, struct tf_error *error)
{
	struct tf_reader *r = s->f->cut.r;
	struct run_place place = run_place(r, &s->f->runs, s->thread);
	int step, status = 0;

	while (status == 0 && (step = stream_source_next(&s->source, error)) != STREAM_END) {
		if (step < 0)
			status = step;
		else if (step == STREAM_CHUNK)
			status = take_chunk(s, error);
		else if (step == STREAM_EVENT)
			status = take_event(s, error);
		else
			status = take_execution(s, error);
		if (step == STREAM_EXECUTION && status == 0)
			run_counts_reach(r, &s->f->runs, &place, s->source.execution.end,
					 tf_stream_ordinal(s->stream));
	}
	run_counts_reach(r, &s->f->runs, &place, UINT64_MAX, tf_stream_ordinal(s->stream));
	end_warmup(s, tf_stream_ordinal(s->stream));
	return status < 0 ? status : write_gap(s, error);
}

int filter_stream(struct filter *f, uint32_t thread, struct tf_error *error)
{
	struct filtered_stream *s = calloc(1, sizeof(*s));
	int status = s ? 0 : fail_memory(error), closed;

	if (!s)
		return status;
	s->f = f;
	s->thread = thread;
	s->source.r = f->cut.r;
	s->source.thread = thread;
	for (size_t i = 0; i < f->pieces.count; i++) /* threads do not depend on each other */
		memset(f->pieces.at[i].last, 0, f->pieces.at[i].n_slots * sizeof(uint64_t));
	status = tf_stream_open(f->cut.w, thread, &s->stream, error);
	if (status == 0) {
		status = take_all(s, error);
		closed = tf_stream_close(s->stream, status < 0 ? NULL : error);
		status = status < 0 ? status : closed;
	}
	stream_source_free(&s->source);
	free(s->inner.at);
	free(s->keep);
	free(s);
	return status;
}
