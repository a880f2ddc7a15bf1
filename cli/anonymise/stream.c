/* SPDX-License-Identifier: MIT */
#include "cli/anonymise/stream.h"

#include <stdio.h>

#include "cli/anonymise/pipeline.h"
#include "cli/common/checked.h"

struct streams {
	struct dictionary *d;
	struct tf_stream *to; /* the stream of `thread`, or NULL */
	uint32_t thread;
	uint32_t *identity; /* exit ids by the keys of records, which are exit ids */
	uint64_t instructions;
	struct progress *progress;
};

static int put_records(struct streams *s, const struct packet *packet, const struct step *step,
		       struct tf_error *error)
{
	int64_t used = tf_stream_records(s->to, packet->words + step->at, step->count, s->identity,
					 s->d->n_new_exits, error);

	if (used < 0)
		return (int)used;
	if ((size_t)used == step->count)
		return 0;
	snprintf(error->text, sizeof(error->text), "an execution of thread %u has no path",
		 s->thread);
	return error->status = TF_E_DAMAGED;
}

static int put_step(struct streams *s, const struct packet *packet, const struct step *step,
		    struct tf_error *error)
{
	switch (step->kind) {
	case STEP_RECORDS: return put_records(s, packet, step, error);
	case STEP_PARTIAL:
		return tf_stream_partial(s->to, step->path, step->executed,
					 packet->words + step->at, (uint32_t)step->count, 0, error);
	case STEP_EVENT:
		return tf_stream_event_ahead(s->to, &step->event,
					     (uint32_t)(step->ordinal - tf_stream_ordinal(s->to)),
					     error);
	}
	return 0;
}

static int close_stream(struct streams *s, struct tf_error *error)
{
	struct tf_stream *to = s->to;

	s->to = NULL;
	return to ? tf_stream_close(to, error) : 0;
}

/* Opens the stream of a thread, after closing the one of another thread. */
static int use_stream(struct streams *s, uint32_t thread, struct tf_error *error)
{
	int status;

	if (s->to && s->thread == thread)
		return 0;
	status = close_stream(s, error);
	s->thread = thread;
	return status < 0 ? status : tf_stream_open(s->d->writer, thread, &s->to, error);
}

static int put_packet(void *opaque, const struct packet *packet, uint32_t thread,
		      struct tf_error *error)
{
	struct streams *s = opaque;
	int status = use_stream(s, thread, error);

	for (size_t i = 0; i < packet->n_steps && status == 0; i++)
		status = put_step(s, packet, &packet->steps[i], error);
	s->instructions += packet->instructions;
	progress_update(s->progress, s->instructions);
	return status;
}

static int check_exits(const struct dictionary *d, struct tf_error *error)
{
	if (d->n_new_exits < TF_RECORD_KEYS)
		return 0;
	snprintf(error->text, sizeof(error->text), "more than 2^24 exits were executed");
	return error->status = TF_E_ARGUMENT;
}

int streams_write(struct dictionary *d, struct event_rules *rules, unsigned jobs,
		  struct progress *progress, struct tf_error *error)
{
	struct streams s = { .d = d, .progress = progress };
	int status = check_exits(d, error), closed;

	if (status < 0)
		return status;
	s.identity = checked_array(d->n_new_exits, sizeof(*s.identity));
	for (uint32_t i = 0; i < d->n_new_exits; i++)
		s.identity[i] = i;
	status = pipeline_decode(d, rules, jobs, put_packet, &s, error);
	closed = close_stream(&s, status < 0 ? NULL : error);
	free(s.identity);
	return status < 0 ? status : closed;
}

/* The merged order of paths is that of the old schedule. */
int schedule_write(struct tf_reader *reader, struct tf_writer *writer, struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.view = TF_VIEW_PATHS;
	status = tf_cursor_open(reader, &options, &cursor, error);
	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0) {
		status = tf_writer_schedule(writer, item.thread, item.instructions, error);
		if (status < 0)
			break;
	}
	tf_cursor_close(cursor);
	return status;
}
