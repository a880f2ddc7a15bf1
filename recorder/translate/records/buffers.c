/* SPDX-License-Identifier: MIT */
/*
 * A window, or a recording with --count, ends where its records reach the limit. The program has by
 * then executed more than the window has. The instructions after the end are only counted, for the
 * next window. Buffers are handed over until the end is near, as far as the sizes of earlier
 * records predict it (buffers_reach_the_end()). If windows are so close that buffers on the way
 * could reach the next window, each buffer is written before the program continues
 * (buffers_are_limited()).
 */
#include "recorder/translate/records/buffers.h"

#include <string.h>

#include "recorder/core/output.h"
#include "recorder/core/phase_times.h"
#include "recorder/core/points.h"
#include "recorder/core/region.h"
#include "recorder/translate/records/encoder.h"
#include "recorder/translate/records/records.h"

enum {
	BUFFERS_BYTES = 32 << 20, /* of all threads' buffers, approximately */
	LEAST_BUFFERS = 2,
	FIRST_BYTES = 1 << 20,  /* of the first buffers: hot paths are found early */
	LEAST_BYTES = 32 << 10, /* of a buffer that is used */
	SERIAL_BYTES = 64 << 10,
	SLICES_BYTES = 8 << 10, /* some ten thousand instructions */
	SOFT_BYTES = 256, /* of the last buffers before the end of a window that ends softly */
	LEAST_HANDED = 64 << 10, /* of a buffer that is handed over before the recording ends */
	FAR_BYTES = 2 * AREA_BUFFER_BYTES, /* more than any buffer has */
	LEAST_USABLE = 4 * RECORD_HEADER,
	/* A call or system call adds its own record to that of a superblock. */
	MOST_BEHIND = RECORD_HEADER + RECORD_SLOT * (RECORD_SYSCALL_SLOTS + TF_MAX_CALL_ARGS),
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static uint8_t *start(const struct thread *th)
{
	return th->area->memory.local + area_buffer(th->buffer);
}

static uint8_t *end(const struct thread *th)
{
	return start(th) + AREA_BUFFER_BYTES;
}

static uint64_t remote_start(const struct thread *th)
{
	return th->area->memory.remote + area_buffer(th->buffer);
}

static uint64_t remote_end(const struct thread *th)
{
	return remote_start(th) + AREA_BUFFER_BYTES;
}

const uint8_t *buffers_first(const struct thread *th)
{
	return start(th) + th->unused;
}

uint8_t *buffers_record(const struct thread *th)
{
	return start(th) + (th->context->record - remote_start(th));
}

/*
 * Returns true if the recording, or the window, ends after a number of instructions, and no
 * later.
 */
static bool has_end(const struct session *s)
{
	return s->options->count || s->options->window.instructions;
}

/*
 * Returns true if all that is executed until the program stops at the end of the window is
 * recorded.
 */
static bool has_soft_end(const struct session *s)
{
	return region_recording(s) && points_end_windows(s);
}

/* Returns how many instructions may be executed after the end of the window. They count for the
 * time until the next window, and must not fill it. */
static uint64_t room_behind(const struct session *s)
{
	const struct record_options *o = s->options;

	return o->period.instructions ? (o->period.instructions - o->window.instructions) / 2
				      : UINT64_MAX;
}

/* Returns how many bytes a buffer may have if all buffers on the way can be after that end. */
static uint64_t most_handed(const struct session *s)
{
	return room_behind(s) / hot_paths_most_insns(s) / AREA_BUFFERS * RECORD_HEADER;
}

/* With serial threads, turns must be repeatable, so they may not depend on when the encoder finds
 * the end. */
bool buffers_are_limited(const struct session *s)
{
	return s->options->max_size || !region_recording(s) ||
	       (has_end(s) && (s->options->serial || most_handed(s) < LEAST_HANDED));
}

/*
 * Returns how many bytes of the buffer to use so that it is full before the task can exceed the
 * session's limits of instructions and bytes. The rest of the instructions is stepped.
 */
static size_t within_limits(const struct session *s)
{
	enum { MOST_INSNS = 1 << 22 };
	uint64_t behind = region_recording(s) ? room_behind(s) : 0;
	unsigned most = hot_paths_most_insns(s);
	uint64_t all = region_left(s) / most + (behind < MOST_INSNS ? behind : MOST_INSNS) / most;
	/* one record may be half written */
	uint64_t records = least(all ? all - 1 : 0, points_most_records(s));
	uint64_t bytes = records < AREA_LIMITED_BYTES / RECORD_HEADER ? records * RECORD_HEADER
								      : AREA_LIMITED_BYTES;
	uint64_t room = output_room(s->output) / 2 & -(uint64_t)RECORD_HEADER;

	return bytes < room ? bytes : room;
}

bool buffers_are_useless(const struct session *s)
{
	return region_recording(s) && buffers_are_limited(s) && within_limits(s) < LEAST_USABLE;
}

bool buffers_lack_room(struct task *t, const struct translation *next)
{
	/* of a block's instruction with an operand, and of a path, with their copies */
	enum { INSN_BYTES = 2 * 24, SUPERBLOCK_BYTES = 2 * 64 };
	struct thread *th = thread_of(t);
	size_t bytes = AREA_BUFFER_BYTES - th->unused;

	if (!t->session->options->max_size || !region_recording(t->session))
		return false;
	th->new_code += SUPERBLOCK_BYTES + INSN_BYTES * next->n_insns;
	return output_room(t->session->output) < bytes + bytes / 8 + th->new_code;
}

/* Predicts the bytes of records until the window ends, after those handed over, from the density of
 * earlier records. */
static size_t to_the_end(const struct thread *th)
{
	double insns_a_byte = th->insns_a_byte > 0 ? th->insns_a_byte : 1;
	double bytes = (double)th->left / insns_a_byte - (double)th->handed;

	if (bytes <= 0)
		return 0;
	return bytes < FAR_BYTES ? (size_t)bytes & -(size_t)RECORD_HEADER : FAR_BYTES;
}

/*
 * Returns true if slices of several threads are recorded. They end by the executions of all
 * threads, whose order is that of their buffers.
 */
static bool needs_order(const struct session *s)
{
	return s->points && s->tasks.count > 1;
}

/* Returns a thread's share in bytes: with many threads, each has little. */
static size_t share(const struct session *s)
{
	size_t bytes = BUFFERS_BYTES / LEAST_BUFFERS / (s->tasks.count ? s->tasks.count : 1);

	/* A turn ends with a full buffer, so the size may not depend on when other threads end. */
	if (s->options->serial)
		return SERIAL_BYTES;
	if (needs_order(s))
		return SLICES_BYTES;
	bytes &= -(size_t)AREA_PAGE;
	if (bytes < LEAST_BYTES)
		return LEAST_BYTES;
	return bytes < AREA_BUFFER_BYTES ? bytes : AREA_BUFFER_BYTES;
}

static unsigned buffers_each(const struct session *s)
{
	unsigned n = BUFFERS_BYTES / AREA_BUFFER_BYTES / (s->tasks.count ? s->tasks.count : 1);

	return n < LEAST_BUFFERS || needs_order(s) ? LEAST_BUFFERS
	       : n > AREA_BUFFERS                  ? AREA_BUFFERS
						   : n;
}

void buffers_begin(struct task *t)
{
	thread_of(t)->buffer = 0;
	thread_of(t)->n_buffers = buffers_each(t->session);
}

/*
 * Returns how many bytes of records, after those handed over, are certainly filled before the end
 * of the window.
 */
static size_t before_the_end(const struct thread *th)
{
	uint64_t bytes = th->left / PLAN_COLD_INSNS * RECORD_HEADER;

	if (bytes <= th->handed)
		return 0;
	return bytes - th->handed < FAR_BYTES ? (size_t)(bytes - th->handed) : FAR_BYTES;
}

/*
 * Near the end of a window that ends softly, buffers become so small that it ends soon after its
 * last instruction.
 */
static size_t size_before_soft_end(const struct task *t)
{
	size_t bytes = before_the_end(thread_of(t));

	return least(share(t->session), bytes > SOFT_BYTES ? bytes : SOFT_BYTES);
}

/* Returns the bytes of the buffer that are used. */
static size_t size(const struct task *t)
{
	const struct session *s = t->session;

	if (buffers_are_limited(s))
		return within_limits(s);
	if (has_soft_end(s))
		return size_before_soft_end(t);
	if (!has_end(s))
		return least(share(s), FIRST_BYTES + thread_of(t)->handed);
	return least(least(share(s), most_handed(s)), to_the_end(thread_of(t)) + LEAST_HANDED);
}

static void begin_buffer(struct task *t)
{
	struct thread *th = thread_of(t);

	th->unused = AREA_BUFFER_BYTES - size(t);
	th->new_code = 0;
	th->context->record = remote_start(th) + th->unused;
	th->since = clock_moment();
}

void buffers_empty(struct task *t)
{
	struct thread *th = thread_of(t);

	th->left = region_left(t->session);
	th->handed = 0;
	begin_buffer(t);
}

/* Returns the bytes of records in the buffer before `record`. */
static size_t bytes_before(const struct thread *th, const uint8_t *record)
{
	return (size_t)(record - start(th)) - th->unused;
}

bool buffers_reach_the_end(const struct task *t)
{
	const struct thread *th = thread_of(t);

	if (has_soft_end(t->session))
		return before_the_end(th) <= bytes_before(th, buffers_record(th)) + LEAST_BYTES;
	return has_end(t->session) &&
	       (!region_left(t->session) || to_the_end(th) <= bytes_before(th, buffers_record(th)));
}

/* Measures the density of `bytes` of records, all of which have been written since the buffers were
 * empty. */
static void look_how_dense(struct task *t, uint64_t bytes)
{
	enum { ENOUGH = 1 << 12 };
	struct thread *th = thread_of(t);
	uint64_t insns = th->left - region_left(t->session) + th->beyond;

	if (region_recording(t->session) && bytes >= ENOUGH)
		th->insns_a_byte = (double)insns / (double)bytes;
}

/* Moves the unfinished record to `to`. The part after the buffer's end is written by
 * reconstruct_state(), not by the task. */
static void move_record(uint8_t *to, const uint8_t *record, const uint8_t *buffer_end)
{
	size_t rest = (size_t)(buffer_end + AREA_PAGE - record);
	size_t most = (size_t)(record_slot(NUMBERING_PLACES) + MOST_BEHIND);

	memmove(to, record, rest < most ? rest : most);
}

/* Profiles the records at once with serial threads, where the result may not depend on when the
 * encoder reads them. */
static void look_at_once(const struct task *t, const uint8_t *from, const uint8_t *to)
{
	const struct thread *th = thread_of(t);

	if (t->session->schedule.serial && th->hot_paths)
		hot_paths_records(th->hot_paths, th->cache, from, to);
}

static int drain(struct task *t)
{
	struct session *s = t->session;
	struct thread *th = thread_of(t);
	uint8_t *record = buffers_record(th);
	double began;
	int status;

	/* With serial threads, the order of the tasks is the order in which their records are
	 * written. */
	if (encoder_wait(s->translate.encoder, s->schedule.serial ? NULL : t) < 0)
		return -1;
	look_at_once(t, start(th) + th->unused, record);
	began = session_now();
	th->span = (struct clock_span){ th->since, clock_moment() };
	status = records_write(t, start(th) + th->unused, record);
	s->stats.writing += session_now() - began;
	look_how_dense(t, th->handed + bytes_before(th, record));
	if (status < 0 || records_end(t) < 0)
		return -1;
	th->unused = 0;
	th->context->record = remote_start(th);
	move_record(start(th), record, end(th));
	return 0;
}

int buffers_drain(struct task *t)
{
	enum record_phase before = phase_times_begin(t->session, RECORD_WRITE);
	int status = drain(t);

	phase_times_end(t->session, before);
	return status;
}

/* Takes the next buffer, which must not be on the way. Returns 0 or -1. */
static int take_next(struct task *t)
{
	unsigned n = buffers_each(t->session);
	struct thread *th = thread_of(t);

	if (n == th->n_buffers &&
	    area_begin_buffer(t, th->area, (th->buffer + 1) % n, size(t)) == 0) {
		th->buffer = (th->buffer + 1) % n;
		return 0;
	}
	if (encoder_wait(t->session->translate.encoder, t) < 0)
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
	enum record_phase before;
	int status;

	thread_note_progress(t);
	look_at_once(t, from, record);
	th->handed += bytes_before(th, record);
	before = phase_times_begin(t->session, RECORD_WRITE);
	status = encoder_put(t->session->translate.encoder, t, from, record, th->n_buffers - 1);
	if (status == 0)
		status = take_next(t);
	phase_times_end(t->session, before);
	if (status < 0)
		return -1;
	begin_buffer(t);
	move_record(buffers_record(th), record, record_end);
	th->context->record += undo;
	thread_watch_progress(t);
	return 0;
}

bool buffers_are_nearly_full(const struct thread *th)
{
	return remote_end(th) - th->context->record <
	       (uint64_t)record_slot(NUMBERING_PLACES) + MOST_BEHIND;
}

bool buffers_are_denied(const struct thread *th, const siginfo_t *info)
{
	enum { DENIED_BY_KEY = 4 }; /* SEGV_PKUERR */
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr;

	return info->si_code == DENIED_BY_KEY &&
	       address - th->area->memory.remote < th->area->memory.size;
}

bool buffers_fault(const struct thread *th, const siginfo_t *info)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr;

	return info->si_signo == SIGSEGV && info->si_code > 0 &&
	       address - remote_end(th) < AREA_PAGE;
}
