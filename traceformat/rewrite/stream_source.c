/* SPDX-License-Identifier: MIT */
#include "traceformat/rewrite/stream_source.h"

#include "traceformat/common/error.h"
#include "traceformat/pack/pack_chunk.h"

static int damaged(const struct stream_source *s, const char *what, struct tf_error *error)
{
	return fail_section(s->r, &s->chunk.section, error, what);
}

static int decode_event(struct stream_source *s, struct tf_error *error)
{
	s->taken = false;
	return event_queue_next(&s->events, s->r, &s->chunk.section, error);
}

static int decode_execution(struct stream_source *s, struct tf_error *error)
{
	s->passed = false;
	s->has_execution = walk_next(s->walk);
	if (!s->has_execution)
		return execution_end(s->r, &s->chunk.section, s->walk, error);
	return execution_read(&s->execution, s->r, &s->chunk.section, s->walk, s->ordinal,
			      &s->registers, error);
}

static int open_chunk(struct stream_source *s, const struct section *section,
		      struct tf_error *error)
{
	unsigned parts = CHUNK_EVENTS | CHUNK_FLOW | CHUNK_SLOTS;
	int status = chunk_read(s->r, section, parts, &s->chunk, error);

	if (status == 0 && section->extra > s->r->exits.count)
		status = damaged(s, "the paths that it needs are lost", error);
	if (status == 0)
		status = chunk_unpack(s->r, parts, &s->chunk, error);
	if (status == 0 && section->first < s->ordinal)
		status = damaged(s, "it overlaps the chunk before", error);
	if (status < 0)
		return status;
	s->walk = walk_new(s->r, &s->chunk, true);
	if (!s->walk)
		return fail_memory(error);
	s->open = true;
	s->missing = section->first - s->ordinal;
	s->ordinal = section->first;
	s->registers = s->chunk.registers;
	s->rsp_known = true;
	memcpy(s->next_base, s->registers.segment, sizeof(s->next_base));
	s->taken = false;
	status = event_queue_begin(&s->events, s->r, section, &s->chunk, error);
	return status < 0 ? status : decode_execution(s, error);
}

static int close_chunk(struct stream_source *s, struct tf_error *error)
{
	s->open = false;
	walk_free(s->walk);
	s->walk = NULL;
	if (s->ordinal != s->chunk.section.first + s->chunk.section.count)
		return damaged(s, "it has another number of instructions than its header says",
			       error);
	return 0;
}

static int next_chunk(struct stream_source *s, struct tf_error *error)
{
	const struct thread_chunks *chunks = &s->r->chunks.at[s->thread];
	int status;

	if (s->thread >= s->r->chunks.count || s->next_chunk == chunks->sections.count)
		return STREAM_END;
	status = open_chunk(s, &s->r->sections.at[chunks->sections.at[s->next_chunk++]], error);
	return status < 0 ? status : STREAM_CHUNK;
}

/* Applies the effects of the execution that was handed out, and decodes the next one. */
static int pass_execution(struct stream_source *s, struct tf_error *error)
{
	const struct execution *e = &s->execution;

	execution_pass(e, &s->registers, &s->rsp_known);
	memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
	s->ordinal = e->end;
	return decode_execution(s, error);
}

static int hand_out_event(struct stream_source *s)
{
	const struct tf_event *event = &s->events.event;

	s->ahead = event->ordinal > s->ordinal ? event->ordinal - s->ordinal : 0;
	if (event->kind == TF_EVENT_SEGMENT_BASE) {
		s->next_base[event->segment_base.segment] = event->segment_base.base;
		if (!s->ahead)
			memcpy(s->registers.segment, s->next_base, sizeof(s->next_base));
	}
	s->taken = true;
	return STREAM_EVENT;
}

int stream_source_next(struct stream_source *s, struct tf_error *error)
{
	int status = 0;

	if (s->taken)
		status = decode_event(s, error);
	if (status == 0 && s->passed)
		status = pass_execution(s, error);
	if (status < 0)
		return status;
	if (!s->open)
		return next_chunk(s, error);
	if (s->events.has && (!s->has_execution || s->events.event.ordinal < s->execution.end)) {
		if (!s->has_execution && s->events.event.ordinal > s->ordinal)
			return damaged(s, "an event stands behind its end", error);
		return hand_out_event(s);
	}
	if (s->has_execution) {
		s->passed = true;
		return STREAM_EXECUTION;
	}
	status = close_chunk(s, error);
	return status < 0 ? status : next_chunk(s, error);
}

void stream_source_free(struct stream_source *s)
{
	walk_free(s->walk);
	chunk_free(&s->chunk);
	buffer_free(&s->events.text);
	*s = (struct stream_source){ 0 };
}
