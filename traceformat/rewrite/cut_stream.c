/* SPDX-License-Identifier: MIT */
/*
 * Writes one thread's stream of a slice. Its path executions are those of the old trace, re-
 * encoded; where the slice begins, and where warming up ends, the execution under way is cut in
 * pieces:
 *
 *	old   |  A  |     B     |  C  |      D     |
 *	                ^ first                ^ end
 *	new             |  B'   |  C  |  D     |
 *
 * B' is a path of its own, the end of B; D is left inside.
 */
#include <stdlib.h>

#include "traceformat/common/error.h"
#include "traceformat/pack/pack_chunk.h"
#include "traceformat/pack/pack_walk.h"
#include "traceformat/rewrite/cut.h"
#include "traceformat/rewrite/stream_parts.h"

struct stream_cut {
	struct cut *cut;
	const struct cut_range *range;
	struct tf_stream *stream;
	struct recipe_registers registers; /* at the next execution of the old trace */
	uint64_t next_base[3];             /* segment bases after it */
	bool rsp_known;
	uint64_t skipped; /* instructions that the old trace lacks before the slice */
	uint64_t done;    /* ordinal, in the old trace, of what comes next in the new one */
	bool begun;       /* the new stream has what comes before its first instruction */
	bool ended;       /* it has what comes after its last one */
	bool closing;     /* at the end all events so far belong to the instruction before */
	bool opening;     /* likewise at `first` */
	struct event_queue events;
	bool *open; /* by old region: it has begun and not ended */
};

/* ---- events of the old trace ------------------------------------------------------------- */

static int next_event(struct stream_cut *s, const struct section *section, struct tf_error *error)
{
	return event_queue_next(&s->events, s->cut->r, section, error);
}

static bool is_closing(uint32_t kind)
{
	return kind == TF_EVENT_SYSCALL || kind == TF_EVENT_THREAD_EXIT ||
	       kind == TF_EVENT_PROCESS_EXIT;
}

static int emit(struct stream_cut *s, struct tf_event event, uint64_t ahead, struct tf_error *error)
{
	int status = cut_event(s->cut, &event, error);

	if (status == 0 && event.kind <= TF_EVENT_SEGMENT_BASE)
		status = tf_stream_event_ahead(s->stream, &event, (uint32_t)ahead, error);
	return status;
}

static int mark(struct stream_cut *s, enum tf_event_kind kind, uint32_t region,
		struct tf_error *error)
{
	struct tf_event event = { .kind = kind, .region = { region } };

	return tf_stream_event(s->stream, &event, error);
}

static int mark_gap(struct stream_cut *s, uint64_t instructions, struct tf_error *error)
{
	struct tf_event event = { .kind = TF_EVENT_GAP, .gap = { TF_GAP_SKIPPED, instructions } };

	return instructions ? tf_stream_event(s->stream, &event, error) : 0;
}

/* Begins or ends, in the new stream, the old regions that are open. */
static int mark_open_regions(struct stream_cut *s, enum tf_event_kind kind, struct tf_error *error)
{
	int status = 0;

	for (uint32_t i = 0; i < s->cut->regions.count && status == 0; i++)
		if (s->open[i])
			status = emit(s, (struct tf_event){ .kind = kind, .region = { i } }, 0,
				      error);
	return status;
}

/* Records which regions are open after an event. */
static void note_region(struct stream_cut *s, const struct tf_event *event)
{
	bool begins = event->kind == TF_EVENT_REGION_BEGIN;

	if ((begins || event->kind == TF_EVENT_REGION_END) &&
	    event->region.index < s->cut->regions.count)
		s->open[event->region.index] = begins;
}

/* Records a segment base; one that changes inside an execution holds from the next execution on. */
static void note_base(struct stream_cut *s, const struct tf_event *event, uint64_t piece)
{
	if (event->kind != TF_EVENT_SEGMENT_BASE)
		return;
	s->next_base[event->segment_base.segment] = event->segment_base.base;
	if (event->ordinal <= piece)
		memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
}

/*
 * Takes an event before the slice, and repeats it if it belongs to the state with which the slice
 * begins.
 */
static int take_before(struct stream_cut *s, struct tf_error *error)
{
	const struct tf_event *event = &s->events.event;

	note_region(s, event);
	switch (event->kind) {
	case TF_EVENT_SEGMENT_BASE:
	case TF_EVENT_THREAD_START:
	case TF_EVENT_PROCESS_START:
	case TF_EVENT_EXEC:
	case TF_EVENT_MAPPING: return emit(s, *event, 0, error);
	case TF_EVENT_GAP: s->skipped += event->gap.instructions; return 0;
	default: return 0;
	}
}

/* Repeats the mappings that a thread made before the slice, which has none of the thread. */
static int repeat_mappings(struct stream_cut *s, const struct cut_range *other,
			   struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EVENTS;
	options.thread = other->thread;
	options.count = other->reached;
	status = tf_cursor_open(s->cut->r, &options, &cursor, error);
	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0)
		if (item.kind == TF_ITEM_EVENT && item.event->kind == TF_EVENT_MAPPING) {
			status = emit(s, *item.event, 0, error);
			if (status < 0)
				break;
		}
	tf_cursor_close(cursor);
	return status;
}

/* Writes the part of the new stream before the events at its first instruction. */
static int begin(struct stream_cut *s, struct tf_error *error)
{
	int status = 0;

	if (s->begun)
		return 0;
	s->begun = true;
	for (uint32_t t = s->range->left_out; t != TF_NONE && status == 0;
	     t = s->cut->ranges[t].left_out)
		status = repeat_mappings(s, &s->cut->ranges[t], error);
	if (status == 0)
		status = mark_gap(s, s->range->first + s->skipped, error);
	return status < 0 ? status : mark_open_regions(s, TF_EVENT_REGION_BEGIN, error);
}

/*
 * Takes the events before ordinal `until`. The execution that contains them begins at ordinal
 * `execution` in the old trace and at `piece` in the new one.
 */
static int take_events(struct stream_cut *s, const struct section *section, uint64_t until,
		       uint64_t execution, uint64_t piece, struct tf_error *error)
{
	const struct tf_event *event = &s->events.event;
	int status = 0;

	while (status == 0 && s->events.has && event->ordinal < until) {
		if (event->ordinal == s->range->first)
			s->opening &= is_closing(event->kind);
		note_base(s, event, execution);
		if (event->ordinal < s->range->first ||
		    (event->ordinal == s->range->first && s->range->first && s->opening)) {
			status = take_before(s, error);
		} else {
			status = begin(s, error);
			note_region(s, event);
			if (status == 0)
				status = emit(s, *event,
					      event->ordinal > piece ? event->ordinal - piece : 0,
					      error);
		}
		if (status == 0)
			status = next_event(s, section, error);
	}
	return status;
}

/* ---- executions -------------------------------------------------------------------------- */

/* Writes the events that open the slice, or the simulation in it. */
static int mark_regions(struct stream_cut *s, struct tf_error *error)
{
	const struct cut_range *range = s->range;
	bool warms = range->simulation > range->first;
	int status = 0;

	if (s->done == range->first)
		status = mark(s, TF_EVENT_REGION_BEGIN,
			      warms ? s->cut->warmup_region : s->cut->region, error);
	if (status == 0 && warms && s->done == range->simulation) {
		status = mark(s, TF_EVENT_REGION_END, s->cut->warmup_region, error);
		if (status == 0)
			status = mark(s, TF_EVENT_REGION_BEGIN, s->cut->region, error);
	}
	return status;
}

/* Returns the region in which the slice ends; a thread may not get beyond warming up. */
static uint32_t last_region(const struct stream_cut *s)
{
	const struct cut_range *range = s->range;

	return range->simulation == range->end && range->first < range->end ? s->cut->warmup_region
									    : s->cut->region;
}

/* Appends a whole execution. */
static int append_whole(struct stream_cut *s, const struct execution *e, struct tf_error *error)
{
	const struct compiled_path *p = e->exit->path;
	uint32_t path;
	int status = cut_path(s->cut, p, &path, error);

	if (status < 0)
		return status;
	if (left_inside(e))
		return tf_stream_partial(s->stream, path, (uint32_t)(e->end - e->first), e->slots,
					 e->n_slots, e->rsp, error);
	return tf_stream_exec(s->stream,
			      s->cut->first_exits[p->path.id] + (e->id - p->path.first_exit),
			      e->slots, error);
}

/* Appends the part of an execution from ordinal `from` up to `to`. */
static int append_piece(struct stream_cut *s, const struct execution *e, uint64_t from, uint64_t to,
			struct tf_error *error)
{
	const struct compiled_path *p = e->exit->path;
	uint32_t taken = to == e->end && !left_inside(e) ? e->id - p->path.first_exit
							 : p->path.n_exits;
	uint32_t path, exit;
	int status = from == e->first ? cut_path(s->cut, p, &path, error)
				      : cut_path_tail(s->cut, p, (uint32_t)(from - e->first), taken,
						      &path, &exit, error);

	if (status < 0)
		return status;
	if (taken < p->path.n_exits)
		return tf_stream_exec(s->stream, exit, e->slots, error);
	return tf_stream_partial(s->stream, path, (uint32_t)(to - from), e->slots, e->n_slots,
				 to == e->end ? e->rsp : s->registers.rsp, error);
}

static void state_registers(struct stream_cut *s)
{
	tf_stream_registers(s->stream, s->registers.rsp, s->registers.segment[TF_SEGMENT_FS],
			    s->registers.segment[TF_SEGMENT_GS]);
}

/* Appends the part of an execution that is in the slice, with its events. */
static int append(struct stream_cut *s, const struct section *section, const struct execution *e,
		  struct tf_error *error)
{
	const struct cut_range *range = s->range;
	uint64_t last = e->end < range->end ? e->end : range->end;
	uint64_t from = e->first > range->first ? e->first : range->first;
	int status = 0;

	while (from < last && status == 0) {
		uint64_t to = from < range->simulation && range->simulation < last
				      ? range->simulation
				      : last;

		s->done = from;
		status = take_events(s, section, from + 1, e->first, from, error);
		if (status == 0)
			status = begin(s, error);
		if (status == 0)
			status = mark_regions(s, error);
		if (from != e->first || from == range->first)
			state_registers(s);
		if (status == 0)
			status = take_events(s, section, to, e->first, from, error);
		if (status == 0)
			status = from == e->first && to == e->end
					 ? append_whole(s, e, error)
					 : append_piece(s, e, from, to, error);
		s->done = from = to;
	}
	return status;
}

/* Takes the events that the slice has after its last instruction. */
static int take_last_events(struct stream_cut *s, const struct section *section,
			    struct tf_error *error)
{
	const struct tf_event *event = &s->events.event;
	int status = 0;

	while (status == 0 && s->events.has && event->ordinal == s->range->end) {
		s->closing &= is_closing(event->kind);
		if (!s->closing && s->range->rest)
			break;
		if (!s->ended && event->kind != TF_EVENT_SYSCALL) {
			s->ended = true;
			status = mark(s, TF_EVENT_REGION_END, last_region(s), error);
		}
		if (status == 0)
			status = emit(s, *event, 0, error);
		note_region(s, event);
		if (status == 0)
			status = next_event(s, section, error);
	}
	return status;
}

/* Applies an execution's effect on the registers, as far as the old trace has it. */
static void pass(struct stream_cut *s, const struct execution *e)
{
	execution_pass(e, &s->registers, &s->rsp_known);
	memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
	/*
	 * For a piece, the new trace has the registers at its start but not the changes inside it.
	 * For whole executions, stating the registers changes nothing.
	 */
	if (e->end == s->done && s->rsp_known)
		state_registers(s);
}

/* ---- chunks ------------------------------------------------------------------------------ */

static int walk_chunk(struct stream_cut *s, struct chunk *chunk, struct tf_error *error)
{
	struct walk *w = walk_new(s->cut->r, chunk, true);
	uint64_t ordinal = chunk->section.first;
	int status = 0;

	if (!w)
		return fail_memory(error);
	while (ordinal < s->range->end && status == 0 && walk_next(w)) {
		struct execution e;

		status = execution_read(&e, s->cut->r, &chunk->section, w, ordinal, &s->registers,
					error);
		if (status < 0)
			break;
		if (e.first < s->range->first)
			status = take_events(s, &chunk->section, ordinal + 1, ordinal, ordinal,
					     error);
		if (status == 0)
			status = append(s, &chunk->section, &e, error);
		pass(s, &e);
		ordinal = e.end;
	}
	if (status == 0)
		status = execution_end(s->cut->r, &chunk->section, w, error);
	walk_free(w);
	return status;
}

/* Reads a chunk: executions if they are in the slice, and events. */
static int take_chunk(struct stream_cut *s, const struct section *section, struct chunk *chunk,
		      struct tf_error *error)
{
	const struct cut_range *range = s->range;
	uint64_t end = section->first + section->count;
	bool inside = end > range->first && section->first < range->end;
	unsigned parts = CHUNK_EVENTS | (inside ? CHUNK_FLOW | CHUNK_SLOTS : 0);
	int status = chunk_read(s->cut->r, section, parts, chunk, error);

	if (status == 0 && section->extra > s->cut->r->exits.count)
		status = fail_section(s->cut->r, section, error,
				      "the paths that it needs are lost");
	if (status == 0 && inside)
		status = chunk_unpack(s->cut->r, parts, chunk, error);
	if (status < 0)
		return status;
	s->registers = chunk->registers;
	s->rsp_known = true;
	memcpy(s->next_base, s->registers.segment, sizeof(s->next_base));
	status = event_queue_begin(&s->events, s->cut->r, section, chunk, error);
	if (status == 0 && inside) {
		if (section->first > (s->done > range->first ? s->done : range->first))
			return fail(error, TF_E_DAMAGED,
				    "%s: instructions before %llu of thread %u, which the slice "
				    "needs, are lost",
				    s->cut->r->name, (unsigned long long)section->first,
				    range->thread);
		if (section->first >= range->first)
			state_registers(s);
		status = walk_chunk(s, chunk, error);
	}
	if (status == 0 && end < range->end) /* what stands at the chunk's end */
		status = take_events(s, section, end + 1, end, end, error);
	return status < 0 || s->done < range->end ? status : take_last_events(s, section, error);
}

static int take_chunks(struct stream_cut *s, struct tf_error *error)
{
	const struct thread_chunks *chunks = &s->cut->r->chunks.at[s->range->thread];
	struct chunk chunk = { 0 };
	int status = 0;

	for (size_t k = 0; k < chunks->sections.count && status == 0; k++) {
		const struct section *section = &s->cut->r->sections.at[chunks->sections.at[k]];

		if (section->first > s->range->end)
			break;
		status = take_chunk(s, section, &chunk, error);
	}
	chunk_free(&chunk);
	if (status == 0 && s->done < s->range->end)
		status = fail(error, TF_E_DAMAGED,
			      "%s: instructions from %llu of thread %u on, which the slice needs, "
			      "are lost",
			      s->cut->r->name, (unsigned long long)s->done, s->range->thread);
	return status;
}

static int finish(struct stream_cut *s, struct tf_error *error)
{
	int status = s->ended ? 0 : mark(s, TF_EVENT_REGION_END, last_region(s), error);

	if (status == 0 && s->range->rest)
		status = mark_open_regions(s, TF_EVENT_REGION_END, error);
	return status < 0 ? status : mark_gap(s, s->range->rest, error);
}

int cut_stream(struct cut *cut, const struct cut_range *range, struct tf_error *error)
{
	struct stream_cut s = {
		.cut = cut,
		.range = range,
		.closing = true,
		.opening = true,
	};
	int status = tf_stream_open(cut->w, range->thread, &s.stream, error);

	if (status < 0)
		return status;
	s.open = calloc(cut->regions.count + 1, sizeof(*s.open));
	status = s.open ? take_chunks(&s, error) : fail_memory(error);
	if (status == 0)
		status = finish(&s, error);
	if (status < 0) /* the trace is given up, and the stream's contents with it */
		error = NULL;

	int closed = tf_stream_close(s.stream, error);

	buffer_free(&s.events.text);
	free(s.open);
	return status < 0 ? status : closed;
}
