/* SPDX-License-Identifier: MIT */
/*
 * Writes the streams of a joined trace. A stream of several slices has their streams one after the
 * other, with a gap for the instructions between two slices:
 *
 *	slice 1   start  gap 100  |instructions 100 .. 199|  gap 800
 *	slice 2   start  gap 500  |instructions 500 .. 599|  gap 400
 *	joined    start  gap 100  |instructions 100 .. 199|  gap 300  |500 .. 599|  gap 400
 */
#include <inttypes.h>
#include <stdlib.h>

#include "traceformat/common/error.h"
#include "traceformat/common/event_time.h"
#include "traceformat/rewrite/join.h"
#include "traceformat/rewrite/stream_source.h"
#include "traceformat/writer/writer.h"

struct joined_stream {
	struct join *j;
	struct join_thread *thread;
	struct tf_stream *stream;
	const struct join_part *part; /* whose stream is read */
	uint64_t position;     /* instructions of the thread so far, those of gaps included */
	bool gaps_known;       /* all gaps so far have a number of instructions */
	struct tf_event gap;   /* the gap to write before what comes next; */
	bool has_gap;          /* if there is one */
	ARRAY(uint32_t) space; /* mappings so far, and TF_NONE for each exec */
	size_t n_repeated;     /* of these, how many the later slice has repeated, */
	size_t n_before;       /* and how many there were before it */
	bool repeats; /* a later slice is read, up to the gap that stands for what is before it */
};

static int write_gap(struct joined_stream *s, struct tf_error *error)
{
	if (!s->has_gap)
		return 0;
	s->has_gap = false;
	s->position += s->gap.gap.instructions;
	s->gaps_known &= s->gap.gap.instructions != 0;
	return tf_stream_event(s->stream, &s->gap, error);
}

static int add_gap(struct joined_stream *s, const struct tf_event *gap, struct tf_error *error)
{
	int status = write_gap(s, error);

	s->gap = *gap;
	s->has_gap = true;
	return status;
}

/* Replaces the gap at the beginning of a later slice by what is between the slices. */
static int begin_slice(struct joined_stream *s, struct tf_event *gap, struct tf_error *error)
{
	uint64_t before = gap->gap.instructions;

	s->repeats = false;
	if (!before || !s->gaps_known)
		return add_gap(s, gap, error);
	if (before < s->position)
		return fail(error, TF_E_ARGUMENT,
			    "%s: begins at instruction %" PRIu64 " of thread %u, but another slice "
			    "ends at %" PRIu64 "; slices that overlap cannot be joined",
			    s->part->r->name, before, s->thread->tid, s->position);
	gap->gap.instructions = before - s->position;
	return gap->gap.instructions ? add_gap(s, gap, error) : 0;
}

/*
 * Returns true if a later slice repeats a change of the address space that the slices before have.
 * Behind the first one that these do not have, all are taken.
 */
static bool is_repeated(struct joined_stream *s, uint32_t change)
{
	bool is = s->repeats && s->n_repeated < s->n_before && s->space.at[s->n_repeated] == change;

	if (is)
		s->n_repeated++;
	else if (s->repeats)
		s->n_before = 0;
	return is;
}

/* Leaves out what a later slice repeats. Returns true if the event is to be taken. */
static bool check_space(struct joined_stream *s, const struct tf_event *event, int *status,
			struct tf_error *error)
{
	uint32_t change = event->kind == TF_EVENT_MAPPING ? event->mapping.index : TF_NONE;

	if (event->kind != TF_EVENT_MAPPING && event->kind != TF_EVENT_EXEC)
		return true;
	if (is_repeated(s, change))
		return false;
	if (!RESERVE(s->space, s->space.count + 1)) {
		*status = fail_memory(error);
		return false;
	}
	s->space.at[s->space.count++] = change;
	return true;
}

static bool starts(const struct tf_event *event)
{
	return event->kind == TF_EVENT_THREAD_START || event->kind == TF_EVENT_PROCESS_START;
}

/* Records the time of an event; of several at one place, the first one. */
static int note_time(struct joined_stream *s, const struct tf_event *event, struct tf_error *error)
{
	struct join_thread *t = s->thread;
	uint64_t time = 0, ordinal = tf_stream_ordinal(s->stream);

	if (!event_time(event, &time) || !time ||
	    (t->stamps.count && t->stamps.at[t->stamps.count - 1].ordinal == ordinal))
		return 0;
	if (!RESERVE(t->stamps, t->stamps.count + 1))
		return fail_memory(error);
	t->stamps.at[t->stamps.count++] = (struct join_stamp){ ordinal, time };
	return 0;
}

static int take_event(struct joined_stream *s, const struct stream_source *source,
		      struct tf_error *error)
{
	struct tf_event event = source->events.event;
	int status;

	if (event.kind > TF_EVENT_SEGMENT_BASE) {
		s->j->options->unknown_events++;
		return 0;
	}
	if (s->repeats && starts(&event))
		return 0;
	if (event.kind == TF_EVENT_GAP && s->repeats && !source->ordinal)
		return begin_slice(s, &event, error);
	if (event.kind == TF_EVENT_GAP && !source->ahead)
		return add_gap(s, &event, error);
	status = join_event(s->part, &event, error);
	if (status < 0 || !check_space(s, &event, &status, error))
		return status;
	status = note_time(s, &event, error);
	if (status == 0 && !s->repeats)
		status = write_gap(s, error);
	return status < 0
		       ? status
		       : tf_stream_event_ahead(s->stream, &event, (uint32_t)source->ahead, error);
}

static int take_chunk(struct joined_stream *s, const struct stream_source *source,
		      struct tf_error *error)
{
	struct tf_event lost = { .kind = TF_EVENT_GAP, .gap = { TF_GAP_FAULT, source->missing } };
	int status = 0;

	if (source->missing && !s->repeats)
		status = add_gap(s, &lost, error);
	if (source->chunk.section.count)
		tf_stream_registers(s->stream, source->registers.rsp,
				    source->registers.segment[TF_SEGMENT_FS],
				    source->registers.segment[TF_SEGMENT_GS]);
	return status;
}

static int take_execution(struct joined_stream *s, const struct stream_source *source,
			  struct tf_error *error)
{
	const struct execution *e = &source->execution;
	const struct compiled_path *old = e->exit->path, *path;
	uint32_t id = s->part->paths[old->path.id];
	int status = 0;

	if (id == TF_NONE)
		return join_lost(s->part, "path", old->path.id, error);
	if (s->repeats && s->position) /* a slice that begins with its thread has no gap */
		return fail(error, TF_E_ARGUMENT,
			    "%s: begins where thread %u begins, but another slice has this "
			    "thread before; slices that overlap cannot be joined",
			    s->part->r->name, s->thread->tid);
	s->repeats = false;
	status = write_gap(s, error);
	if (status < 0)
		return status;
	s->position += e->end - e->first;
	path = *(struct compiled_path **)fixed_vector_at(&s->j->w->paths, id);
	if (left_inside(e))
		return tf_stream_partial(s->stream, id, (uint32_t)(e->end - e->first), e->slots,
					 e->n_slots, e->rsp, error);
	return tf_stream_exec(s->stream, path->path.first_exit + e->id - old->path.first_exit,
			      e->slots, error);
}

static int take_source(struct joined_stream *s, const struct join_source *from,
		       struct tf_error *error)
{
	struct join_part *part = &s->j->parts[from->part];
	struct stream_source source = { .r = part->r, .thread = from->thread };
	struct run_place place = run_place(part->r, &part->runs, from->thread);
	uint64_t before = tf_stream_ordinal(s->stream);
	int step, status = 0;

	s->part = part;
	while (status == 0 && (step = stream_source_next(&source, error)) != STREAM_END) {
		if (step < 0)
			status = step;
		else if (step == STREAM_CHUNK)
			status = take_chunk(s, &source, error);
		else if (step == STREAM_EVENT)
			status = take_event(s, &source, error);
		else
			status = take_execution(s, &source, error);
		if (step == STREAM_EXECUTION && status == 0)
			run_counts_reach(part->r, &part->runs, &place, source.execution.end,
					 tf_stream_ordinal(s->stream) - before);
	}
	run_counts_reach(part->r, &part->runs, &place, UINT64_MAX,
			 tf_stream_ordinal(s->stream) - before);
	stream_source_free(&source);
	return status;
}

static bool has_stream(const struct join *j, const struct join_source *source)
{
	const struct tf_reader *r = j->parts[source->part].r;

	return source->thread < r->chunks.count && r->chunks.at[source->thread].sections.count;
}

int join_stream(struct join *j, uint32_t thread, struct tf_error *error)
{
	struct joined_stream s = { .j = j, .thread = &j->threads.at[thread], .gaps_known = true };
	int status = tf_stream_open(j->w, thread, &s.stream, error), closed;
	bool any = false;

	if (status < 0)
		return status;
	for (size_t i = 0; i < s.thread->sources.count && status == 0; i++) {
		if (!has_stream(j, &s.thread->sources.at[i]))
			continue;
		s.repeats = any;
		s.n_repeated = 0;
		s.n_before = s.space.count;
		s.has_gap &= !any; /* the next slice says what is behind the one before */
		any = true;
		status = take_source(&s, &s.thread->sources.at[i], error);
	}
	if (status == 0)
		status = write_gap(&s, error);
	free(s.space.at);
	closed = tf_stream_close(s.stream, status < 0 ? NULL : error);
	return status < 0 ? status : closed;
}
