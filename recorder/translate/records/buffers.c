/* SPDX-License-Identifier: MIT */
#include "recorder/translate/records/buffers.h"

#include <string.h>

#include "recorder/output.h"
#include "recorder/region.h"
#include "recorder/translate/records/encoder.h"
#include "recorder/translate/records/records.h"

enum {
	BUFFERS_BYTES = 32 << 20,	/* of all threads' buffers, more or less */
	LEAST_BUFFERS = 2,
	LEAST_BYTES = 32 << 10,		/* of a buffer that is used */
	SERIAL_BYTES = 64 << 10,
	LEAST_USABLE = 4 * RECORD_HEADER,
	/* A call or system call is told beside a path. */
	MOST_BEHIND = RECORD_HEADER + RECORD_SLOT * (RECORD_SYSCALL_SLOTS + TF_MAX_CALL_ARGS),
};

static uint8_t *start(const struct thread *th)
{
	return th->area->memory.local + area_buffer(th->buffer);
}

static uint8_t *end(const struct thread *th)
{
	return start(th) + HOME_BUFFER_BYTES;
}

static uint64_t remote_start(const struct thread *th)
{
	return th->area->memory.remote + area_buffer(th->buffer);
}

static uint64_t remote_end(const struct thread *th)
{
	return remote_start(th) + HOME_BUFFER_BYTES;
}

const uint8_t *buffers_first(const struct thread *th)
{
	return start(th) + th->unused;
}

uint8_t *buffers_record(const struct thread *th)
{
	return start(th) + (th->context->record - remote_start(th));
}

bool buffers_are_limited(const struct session *s)
{
	return s->options->count || s->options->window.instructions || s->options->max_size ||
	       s->phase != PHASE_RECORD;
}

/* Instructions that may be executed, and cost time, behind the end of what is recorded. They count
 * for what follows that. */
static uint64_t most_beyond(const struct session *s)
{
	enum { MOST = 1 << 22 };
	uint64_t period = s->options->period.instructions, skipped;

	if (!region_recording(s))
		return 0;
	skipped = period - s->options->window.instructions;
	return period && skipped / 2 < MOST ? skipped / 2 : MOST;
}

/*
 * So much of the buffer that it is full before more is executed than the session's budget of
 * instructions and bytes allows, whatever it is: the rest is stepped.
 */
static size_t within_limits(const struct session *s)
{
	uint64_t all = region_left(s) / PLAN_INSNS + most_beyond(s) / PLAN_INSNS;
	uint64_t records = all ? all - 1 : 0;	/* one may be half written */
	uint64_t bytes = records < HOME_BUFFER_BYTES / RECORD_HEADER ? records * RECORD_HEADER
								     : HOME_BUFFER_BYTES;
	uint64_t room = output_room(s->output) / 2 & -(uint64_t)RECORD_HEADER;

	return bytes < room ? bytes : room;
}

bool buffers_are_useless(const struct session *s)
{
	return region_recording(s) && buffers_are_limited(s) && within_limits(s) < LEAST_USABLE;
}

/* Many threads have little each. */
static size_t share(const struct session *s)
{
	size_t bytes = BUFFERS_BYTES / LEAST_BUFFERS / (s->n_tasks ? s->n_tasks : 1);

	if (s->serial)		/* a turn is so long: it may not depend on when others end */
		return SERIAL_BYTES;
	bytes &= -(size_t)HOME_PAGE;
	if (bytes < LEAST_BYTES)
		return LEAST_BYTES;
	return bytes < HOME_BUFFER_BYTES ? bytes : HOME_BUFFER_BYTES;
}

static unsigned buffers_each(const struct session *s)
{
	unsigned n = BUFFERS_BYTES / HOME_BUFFER_BYTES / (s->n_tasks ? s->n_tasks : 1);

	return n < LEAST_BUFFERS ? LEAST_BUFFERS : n > HOME_BUFFERS ? HOME_BUFFERS : n;
}

void buffers_begin(struct task *t)
{
	thread_of(t)->buffer = 0;
	thread_of(t)->n_buffers = buffers_each(t->session);
}

void buffers_empty(struct task *t)
{
	const struct session *s = t->session;
	struct thread *th = thread_of(t);

	th->unused = HOME_BUFFER_BYTES - (buffers_are_limited(s) ? within_limits(s) : share(s));
	th->context->record = remote_start(th) + th->unused;
	th->since = clock_moment();
}

/* The record that is being written goes on at `to`. What it has behind the buffer's end is the
 * recorder's: precise_state completes it there. */
static void move_record(uint8_t *to, const uint8_t *record, const uint8_t *buffer_end)
{
	size_t rest = (size_t)(buffer_end + HOME_PAGE - record);
	size_t most = (size_t)(record_slot(NUMBERING_PLACES) + MOST_BEHIND);

	memmove(to, record, rest < most ? rest : most);
}

/* One at a time, what is executed may not depend on when the encoder sees it. */
static void look_at_once(const struct task *t, const uint8_t *from, const uint8_t *to)
{
	const struct thread *th = thread_of(t);

	if (t->session->serial && th->profile)
		profile_records(th->profile, th->cache, from, to);
}

int buffers_drain(struct task *t)
{
	struct session *s = t->session;
	struct thread *th = thread_of(t);
	uint8_t *record = buffers_record(th);
	double began;
	int status;

	/* Where the order of the tasks is told exactly, that is the order of what is written. */
	if (encoder_wait(s->encoder, s->serial ? NULL : t) < 0)
		return -1;
	look_at_once(t, start(th) + th->unused, record);
	began = session_now();
	th->span = (struct clock_span){ th->since, clock_moment() };
	status = records_write(t, start(th) + th->unused, record);
	s->stats.writing += session_now() - began;
	if (status < 0)
		return -1;
	buffers_empty(t);
	move_record(buffers_record(th), record, end(th));
	return 0;
}

/* The next buffer, which is not on the way. Returns 0 or -1. */
static int take_next(struct task *t)
{
	unsigned n = buffers_each(t->session);
	struct thread *th = thread_of(t);

	if (n == th->n_buffers && area_guard(t, th->area, (th->buffer + 1) % n) == 0) {
		th->buffer = (th->buffer + 1) % n;
		return 0;
	}
	if (encoder_wait(t->session->encoder, t) < 0)
		return -1;
	th->n_buffers = n;
	th->buffer = 0;
	return 0;
}

int buffers_hand_over(struct task *t, unsigned undo)
{
	struct thread *th = thread_of(t);
	uint8_t *from = start(th) + th->unused, *record = buffers_record(th) - undo;
	const uint8_t *record_end = end(th);

	look_at_once(t, from, record);
	if (encoder_put(t->session->encoder, t, from, record, th->n_buffers - 1) < 0 ||
	    take_next(t) < 0)
		return -1;
	buffers_empty(t);
	move_record(buffers_record(th), record, record_end);
	th->context->record += undo;
	return 0;
}

bool buffers_are_nearly_full(const struct thread *th)
{
	return remote_end(th) - th->context->record <
	       (uint64_t)record_slot(NUMBERING_PLACES) + MOST_BEHIND;
}

bool buffers_fault(const struct thread *th, const siginfo_t *info)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr;

	return info->si_signo == SIGSEGV && info->si_code > 0 &&
	       address - remote_end(th) < HOME_PAGE;
}
