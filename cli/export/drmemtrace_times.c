/* SPDX-License-Identifier: MIT */
#include "cli/export/drmemtrace_times.h"

#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/drmemtrace.h"
#include "cli/common/memory_watch.h"
#include "traceformat/common/event_time.h"
#include "traceformat/common/hash_table.h"

enum { WATCH_EVERY = 1 << 14 }; /* items */

/* A time of a thread: a run of it begins, or an event occurs. */
struct moment {
	uint64_t ordinal, time;
	bool event;
};

struct id {
	uint64_t key;
};

struct thread_times {
	ARRAY(struct moment) moments;
	uint64_t id;
	uint64_t position; /* ordinal of the next instruction, while they are made */
	bool gaps;
};

struct drmemtrace_times {
	uint32_t n_threads;
	struct thread_times threads[];
};

/* The making of times, in the recorded order. */
struct making {
	struct drmemtrace_times *times;
	uint64_t now;
	uint64_t first_ns, first_time; /* an event's, and what it is in drmemtrace */
	bool has_first;
	bool real_clock; /* events have times since 1970 UTC */
	uint32_t running;
};

static void add_moment(struct making *m, uint32_t thread, uint64_t ordinal, bool event)
{
	struct thread_times *t = &m->times->threads[thread];

	CHECKED_RESERVE(t->moments, t->moments.count + 1);
	t->moments.at[t->moments.count++] = (struct moment){ ordinal, m->now, event };
}

static void add_run(struct making *m, uint32_t thread)
{
	if (m->running == thread)
		return;
	m->running = thread;
	m->now++;
	add_moment(m, thread, m->times->threads[thread].position, false);
}

/* Returns the time of an event, or 0 if its clock is not that of the first event. */
static uint64_t real_time(struct making *m, uint64_t time_ns)
{
	static const uint64_t most_ns = UINT64_C(1) << 60; /* 36 years */

	if (!m->has_first) {
		m->has_first = true;
		m->first_ns = time_ns;
		m->first_time = m->now;
	}
	if (time_ns < m->first_ns || time_ns - m->first_ns > most_ns)
		return 0;
	return m->first_time + (time_ns - m->first_ns) / 1000;
}

static void take_event(struct making *m, struct thread_times *t, const struct tf_event *event)
{
	uint64_t time_ns, time;

	if ((event->kind == TF_EVENT_GAP || event->kind == TF_EVENT_EXEC) && t->position)
		t->gaps = true;
	if (!event_time(event, &time_ns))
		return;
	time = real_time(m, time_ns);
	if (time > m->now)
		m->now = time;
	add_moment(m, event->thread, event->ordinal, true);
}

/* Begins with the time of the first event, if its clock is that of drmemtrace. */
static void set_first_time(struct making *m, const struct tf_item *item)
{
	uint64_t time_ns;

	if (item->kind == TF_ITEM_EVENT && event_time(item->event, &time_ns))
		m->now = DRMEMTRACE_UNIX_EPOCH + time_ns / 1000 - 1;
	m->real_clock = false;
}

static void take_item(struct making *m, const struct tf_item *item)
{
	struct thread_times *t;

	if (m->real_clock)
		set_first_time(m, item);

	if (item->thread >= m->times->n_threads) /* its record is lost, and so it is not exported */
		return;
	t = &m->times->threads[item->thread];
	add_run(m, item->thread);
	if (item->kind == TF_ITEM_EVENT) {
		take_event(m, t, item->event);
		return;
	}
	t->gaps = t->gaps || (t->position && item->ordinal != t->position);
	t->position = item->ordinal + item->instructions;
}

/* Damaged chunks are left out: the export of their thread reports them. */
static int make_times(struct making *m, struct tf_reader *reader, struct tf_error *error)
{
	struct tf_cursor_options where = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	uint64_t items = 0;
	int status;

	where.view = TF_VIEW_PATHS;
	where.columns = TF_EVENTS;
	status = tf_cursor_open(reader, &where, &cursor, error);
	if (status < 0)
		return status;
	do {
		status = tf_next(cursor, &item, error);
		if (status > 0)
			take_item(m, &item);
		if (++items % WATCH_EVERY == 0)
			memory_watch();
	} while (status > 0 || status == TF_E_DAMAGED);
	tf_cursor_close(cursor);
	return status;
}

/* Gives each thread its id, and another one if an earlier thread had the same. */
static void make_ids(struct drmemtrace_times *times, struct tf_reader *reader)
{
	static const uint64_t other = UINT64_C(1) << 47;
	HASH_TABLE(struct id) used = { 0 };

	for (uint32_t i = 0; i < times->n_threads; i++) {
		const struct tf_thread *t = tf_thread(reader, i);
		uint64_t id = t && t->tid ? t->tid : other | i;

		if (TABLE_FIND(used, id))
			id = other | i;
		checked(TABLE_PUT(used, id));
		times->threads[i].id = id;
	}
	TABLE_FREE(used);
}

struct drmemtrace_times *drmemtrace_times_new(struct tf_reader *reader)
{
	uint32_t n = tf_n_threads(reader);
	struct drmemtrace_times *times = checked_array(1, sizeof(*times) +
								  n * sizeof(times->threads[0]));
	struct making m = { .times = times, .running = TF_NONE };
	const char *clock = tf_meta(reader, "clock");
	struct tf_error error;
	struct tf_info info;

	m.real_clock = clock && !strcmp(clock, "realtime");
	times->n_threads = n;
	make_ids(times, reader);
	if (tf_get_info(reader, &info, &error) == 0)
		m.now = DRMEMTRACE_UNIX_EPOCH + info.created_ns / 1000 - 1;
	if (make_times(&m, reader, &error) == 0)
		return times;
	command_error("%s", error.text);
	drmemtrace_times_free(times);
	return NULL;
}

void drmemtrace_times_free(struct drmemtrace_times *times)
{
	for (uint32_t i = 0; i < times->n_threads; i++)
		free(times->threads[i].moments.at);
	free(times);
}

uint64_t drmemtrace_thread_id(const struct drmemtrace_times *times, uint32_t thread)
{
	return times->threads[thread].id;
}

bool drmemtrace_has_gaps(const struct drmemtrace_times *times, uint32_t thread)
{
	return times->threads[thread].gaps;
}

/* ---- the clock of a thread --------------------------------------------------------------- */

static const struct moment *next_moment(const struct drmemtrace_clock *clock)
{
	const struct thread_times *t = &clock->times->threads[clock->thread];

	return clock->next < t->moments.count ? &t->moments.at[clock->next] : NULL;
}

static void set_next_ordinal(struct drmemtrace_clock *clock)
{
	const struct moment *m = next_moment(clock);

	clock->next_ordinal = m ? m->ordinal : UINT64_MAX;
}

static void step(struct drmemtrace_clock *clock)
{
	clock->now = next_moment(clock)->time;
	clock->next++;
	set_next_ordinal(clock);
}

void drmemtrace_clock_begin(struct drmemtrace_clock *clock, const struct drmemtrace_times *times,
			    uint32_t thread, uint64_t ordinal)
{
	const struct moment *m;

	*clock = (struct drmemtrace_clock){ .times = times, .thread = thread };
	set_next_ordinal(clock);
	m = next_moment(clock);
	clock->now = m ? m->time : DRMEMTRACE_UNIX_EPOCH;
	while ((m = next_moment(clock)) &&
	       (m->ordinal < ordinal || (m->ordinal == ordinal && !m->event)))
		step(clock);
}

void drmemtrace_clock_move(struct drmemtrace_clock *clock, uint64_t ordinal)
{
	while (clock->next_ordinal <= ordinal)
		step(clock);
}

void drmemtrace_clock_event(struct drmemtrace_clock *clock, const struct tf_event *event)
{
	const struct moment *m;
	bool found = false;

	while (!found && (m = next_moment(clock)) && m->ordinal <= event->ordinal) {
		found = m->event && m->ordinal == event->ordinal;
		step(clock);
	}
}
