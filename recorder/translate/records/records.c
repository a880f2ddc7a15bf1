/* SPDX-License-Identifier: MIT */
#include "recorder/translate/records/records.h"

#include <asm/prctl.h>
#include <string.h>
#include <sys/syscall.h>

#include "recorder/core/intervals.h"
#include "recorder/core/output.h"
#include "recorder/core/points.h"
#include "recorder/core/region.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/functions.h"
#include "recorder/ptrace/extended_state.h"
#include "recorder/ptrace/region_bounds.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/translate/records/path_ids.h"
#include "recorder/translate/records/self_check.h"
#include "recorder/translate/thread/hot_paths.h"
#include "recorder/translate/thread/quota.h"
#include "recorder/translate/thread/thread.h"

static struct self_check *check_of(const struct task *task)
{
	return thread_of(task)->check;
}

/* Returns true if the superblock's records can be appended to the trace unchanged. */
static bool is_plain(const struct task *task, const struct translation *t)
{
	return !t->n_corrections && !t->places && !t->control_words && !check_of(task);
}

/*
 * Makes a superblock that is only counted one without recipes: it has a slot for each value, which
 * is never recorded, and rsp is not tracked.
 */
static void leave_out_recipes(const struct translation *t, struct tf_path *superblock,
			      struct tf_exit *exits)
{
	uint16_t n_values[PLAN_BLOCKS + 1] = { 0 };

	for (unsigned i = 0; i < t->n_blocks; i++)
		n_values[i + 1] = (uint16_t)(n_values[i] + t->blocks[i]->trace.n_values);
	for (unsigned i = 0; i < t->n_exits; i++)
		exits[i] = (struct tf_exit){ .n_blocks = exits[i].n_blocks,
					     .outcome = exits[i].outcome,
					     .n_slots = n_values[exits[i].n_blocks] };
	superblock->recipes = NULL;
	superblock->n_slots = superblock->n_values = n_values[t->n_blocks];
}

/* Returns true if all superblocks of the same blocks are one path in the trace. */
static bool is_shared(const struct translation *t)
{
	return !t->counted;
}

static int add_new_superblock(struct task *task, const struct translation *t,
			      const uint32_t *blocks, struct path_id *id)
{
	struct tf_exit exits[PLAN_EXITS];
	struct tf_path superblock = {
		.n_blocks = (uint16_t)t->n_blocks,
		.n_exits = (uint16_t)t->n_exits,
		.n_slots = (uint16_t)t->n_slots,
		.n_values = (uint16_t)t->n_values,
		.n_insns = t->n_insns,
		.blocks = blocks,
		.recipes = t->recipes,
		.exits = exits,
	};

	for (unsigned i = 0; i < t->n_exits; i++)
		exits[i] = t->exits[i].trace;
	if (t->counted)
		leave_out_recipes(t, &superblock, exits);
	if (output_add_path(task->session->output, &superblock, &id->path, &id->first_exit) < 0)
		return -1;
	if (is_shared(t))
		path_ids_add(task->session->translate.path_ids, blocks, t->n_blocks, *id);
	return 0;
}

/* Adds a superblock's path to the trace, which has the blocks. */
static int add_path(struct task *task, struct translation *t, const uint32_t *blocks)
{
	struct session *s = task->session;
	struct path_id id;

	if (!s->translate.path_ids)
		s->translate.path_ids = path_ids_new();
	if (!s->translate.path_ids)
		return output_memory(s->output);
	if (!(is_shared(t) && path_ids_find(s->translate.path_ids, blocks, t->n_blocks, &id)) &&
	    add_new_superblock(task, t, blocks, &id) < 0)
		return -1;
	t->trace_exit = id.first_exit;
	__atomic_store_n(&t->trace_path, id.path, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Adds a superblock to the trace: of a run for vectors, only the blocks. The caller holds
 * output_lock().
 */
static int add_superblock(struct task *task, struct translation *t)
{
	uint32_t blocks[PLAN_BLOCKS];

	for (unsigned i = 0; i < t->n_blocks; i++) {
		if (dictionary_publish(t->blocks[i], task->session->output) < 0)
			return -1;
		blocks[i] = t->blocks[i]->trace.id;
	}
	if (!task->session->options->interval)
		return add_path(task, t, blocks);
	__atomic_store_n(&t->trace_path, 0, __ATOMIC_RELEASE);
	return 0;
}

/* Adds the superblock to the trace, if this is its first record. */
static int publish(struct task *task, struct translation *t)
{
	struct output *o = task->session->output;
	int status = 0;

	if (__atomic_load_n(&t->trace_path, __ATOMIC_ACQUIRE) != TF_NONE)
		return 0;
	output_lock(o);
	if (t->trace_path == TF_NONE)
		status = add_superblock(task, t);
	output_unlock(o);
	return status;
}

/*
 * Returns the exit by which an execution left block i, as a path of its own. The execution ran all
 * of the block and `left` more instructions, and then left the superblock with the outcome.
 */
static uint32_t block_exit(const struct translation *t, unsigned i, unsigned left,
			   enum tf_outcome outcome)
{
	const struct code_block *b = t->blocks[i];
	bool inner = left || (outcome == TF_PARTIAL && i + 1 < t->n_blocks);

	if (inner)
		outcome = t->blocks[i + 1]->trace.pc == b->trace.pc + b->trace.code_size
				  ? TF_NOT_TAKEN
				  : TF_TAKEN;
	if (outcome == TF_PARTIAL)
		return b->first_exit + b->n_exits;
	return b->first_exit + (b->n_exits > 1 && outcome == TF_TAKEN);
}

/*
 * Adds executions of a superblock's first instructions, each block as a path of its own: code that
 * is in several superblocks has the same counts whichever of them is executed, so that vectors are
 * smaller and more alike.
 */
static int count_blocks(struct task *task, const struct translation *t, unsigned executed,
			enum tf_outcome outcome, int64_t times)
{
	const struct session *s = task->session;

	for (unsigned i = 0; executed; i++) {
		struct code_block *b = t->blocks[i];
		unsigned n = executed < b->trace.n_insns ? executed : b->trace.n_insns;
		uint32_t exit;

		if (dictionary_publish_path(s->code.dictionary, b, s->output) < 0)
			return -1;
		executed -= n;
		exit = n < b->trace.n_insns ? b->first_exit + b->n_exits
					    : block_exit(t, i, executed, outcome);
		if (intervals_add(task, exit, n, times) < 0)
			return -1;
	}
	return 0;
}

int records_count_exit(struct task *task, struct translation *t, unsigned exit, int64_t times)
{
	const struct translation_exit *e = &t->exits[exit];

	if (publish(task, t) < 0)
		return -1;
	return task->session->options->interval
		       ? count_blocks(task, t, e->n_insns, e->trace.outcome, times)
		       : intervals_add(task, t->trace_exit + exit, e->n_insns, times);
}

int records_count_partial(struct task *task, struct translation *t, unsigned executed,
			  int64_t times)
{
	if (publish(task, t) < 0)
		return -1;
	return task->session->options->interval
		       ? count_blocks(task, t, executed, TF_PARTIAL, times)
		       : intervals_add(task, t->trace_exit + t->n_exits, executed, times);
}

enum { AT_ONCE = 16 }; /* counters that are looked at together, as nearly all are 0 */

static bool are_zero(const uint32_t counters[AT_ONCE])
{
	uint64_t words[AT_ONCE / 2], any = 0;

	memcpy(words, counters, sizeof(words));
	for (unsigned i = 0; i < AT_ONCE / 2; i++)
		any |= words[i];
	return !any;
}

/* Returns the number of the first counter from number i on that is not 0, or n. */
static uint32_t next_used(const uint32_t *counters, uint32_t i, uint32_t n)
{
	while (n - i >= AT_ONCE && are_zero(counters + i))
		i += AT_ONCE;
	while (i < n && !counters[i])
		i++;
	return i;
}

int records_take_exit_counters(struct task *task)
{
	uint32_t *counters = exit_counters_of(task);
	const struct cache *c = counters ? thread_of(task)->cache : NULL;
	uint32_t n = c ? cache_exits(c) : 0;

	for (uint32_t i = 0; (i = next_used(counters, i, n)) < n; i++) {
		struct cache_exit e = cache_exit(c, i);

		if (records_count_exit(task, e.translation, e.exit, counters[i]) < 0)
			return -1;
		counters[i] = 0;
	}
	if (c)
		thread_of(task)->counters_taken = thread_of(task)->burst.executed;
	return 0;
}

int records_keep_exit_counters(struct task *task)
{
	/* A quota is below 2^31 instructions, and each increment is at least one. */
	static const uint64_t most = UINT64_C(1) << 30;
	const struct thread *th = thread_of(task);

	return th->burst.executed - th->counters_taken > most ? records_take_exit_counters(task)
							      : 0;
}

/* Counts a recorded execution, by the number of its exit. The task's counters are the caller's: the
 * task counts nothing while it records. */
static void count_recorded(const struct task *task, uint32_t exit)
{
	uint32_t *counters = task->session->points ? exit_counters_of(task) : NULL;

	if (counters)
		counters[exit]++;
}

/* Counts recorded executions by the heads of their records. */
static void count_all_recorded(const struct task *task, const uint8_t *from, const uint8_t *to)
{
	uint32_t *counters = task->session->points ? exit_counters_of(task) : NULL;

	while (counters && from < to) {
		uint32_t head = *(const uint32_t *)from;

		counters[head % TF_RECORD_KEYS]++;
		from += record_slot(head / TF_RECORD_KEYS);
	}
}

/* Counts an execution of a burst by the exit's counter, which takes less time than adding it to the
 * interval. */
static void count_unrecorded(const struct task *task, uint32_t exit)
{
	uint32_t *counters = exit_counters_of(task);

	if (counters)
		counters[exit]++;
}

static uint64_t *slots_of(uint8_t *record)
{
	return (uint64_t *)(record + RECORD_HEADER);
}

/* Returns the slots of a record as the trace has them. `room` has space for NUMBERING_SLOTS. */
static uint64_t *corrected(struct task *task, const struct translation *t, uint8_t *record,
			   unsigned n_slots, uint64_t *room)
{
	uint64_t *slots = translation_slots(t, slots_of(record), n_slots, room);

	if (t->n_corrections)
		plan_correct(t->corrections, t->n_corrections,
			     task->session->processor.vectors.xcr0, slots, n_slots);
	return slots;
}

/*
 * Returns how many instructions the window can still take. Where this is a limit, tasks run in
 * turns, so no other thread takes instructions between this call and region_use().
 */
static uint64_t window_room(const struct session *s)
{
	if (!region_recording(s))
		return 0;
	return points_end_windows(s) ? UINT64_MAX : region_left(s);
}

/* Returns true inside a window that has instructions left. */
static bool is_recorded(const struct session *s)
{
	return window_room(s);
}

/* Counts instructions that are not recorded. Those after a window's end are counted once the end is
 * reported. */
static void pass(struct task *task, const struct translation *t, uint64_t n_insns)
{
	if (region_recording(task->session))
		thread_of(task)->beyond += n_insns;
	else
		quota_execute(task, n_insns, t->excluded);
}

/* Counts what the task has executed after the end of the window. */
static void count_beyond(struct task *task)
{
	struct thread *th = thread_of(task);

	if (th && th->beyond) {
		quota_execute(task, th->beyond, false);
		th->beyond = 0;
	}
}

/* Does nothing while tasks are being synchronized: the task that asked for this continues first. */
int records_end(struct task *task)
{
	const struct session *s = task->session;
	struct task *t = task;

	if (!region_recording(s) || region_left(s) || s->synchronizing)
		return 0;
	if (region_budget(task) < 0)
		return -1;
	do {
		count_beyond(t);
		t = t->next;
	} while (t != task);
	return 0;
}

static int read_control_words(struct task *task, unsigned which)
{
	if (which & (PLAN_FS_BASE | PLAN_GS_BASE) && syscalls_segments(task) < 0)
		return -1;
	return control_words_record(task, which & (ISA_X87_CONTROL | ISA_MXCSR));
}

/* Writes the first instructions of a superblock, or fewer if the window has less room. The program
 * is after them already, so the next record states its registers. An encoder writes fewer than all:
 * only the thread that traces the task can read the words that the last one loads. */
static int write_first(struct task *task, struct translation *t, unsigned executed, uint64_t left,
		       const uint64_t *slots)
{
	struct session *s = task->session;
	unsigned n_insns = left < executed ? (unsigned)left : executed;

	if (publish(task, t) < 0 ||
	    output_partial(s->output, task, t->trace_path, n_insns, slots,
			   translation_slots_before(t, n_insns)) < 0 ||
	    (n_insns == t->n_insns && read_control_words(task, t->control_words) < 0))
		return -1;
	region_use(s, n_insns);
	pass(task, t, executed - n_insns);
	return 0;
}

static int write_control_words(struct task *task, const struct translation *t, uint8_t *record)
{
	const uint64_t *place = slots_of(record) + t->control_place;
	unsigned x87 = 0, mxcsr = 0;

	if (t->control_words & ISA_X87_CONTROL)
		x87 = *(const uint16_t *)place++;
	if (t->control_words & ISA_MXCSR)
		mxcsr = *(const uint32_t *)place++;
	if (t->control_words & PLAN_FS_BASE && syscalls_segment(task, TF_SEGMENT_FS, *place++) < 0)
		return -1;
	if (t->control_words & PLAN_GS_BASE && syscalls_segment(task, TF_SEGMENT_GS, *place++) < 0)
		return -1;
	return control_words_write(task, t->control_words, x87, mxcsr);
}

/*
 * Notes that the exit has been recorded. Its later records can be appended unchanged. Encoders of
 * several threads may do so at once, all with the same values.
 */
static void note_taken(struct task *task, struct translation *t, unsigned exit)
{
	if (atomic_load_explicit(&t->exits[exit].taken, memory_order_relaxed))
		return;
	atomic_store_explicit(&t->exits[exit].taken, true, memory_order_relaxed);
	if (is_plain(task, t))
		cache_set_trace_exit(thread_of(task)->cache, t->first_exit + exit,
				     t->trace_exit + exit);
}

static int write_exit(struct task *task, struct translation *t, unsigned exit, uint8_t *record)
{
	const struct translation_exit *e = &t->exits[exit];
	struct session *s = task->session;
	uint64_t room[NUMBERING_SLOTS], left = window_room(s);
	const uint64_t *slots = corrected(task, t, record, e->trace.n_slots, room);

	if (check_of(task) &&
	    self_check_exit(check_of(task), task, t, exit, slots_of(record), slots) < 0)
		return -1;
	if (!left) {
		pass(task, t, e->n_insns);
		count_unrecorded(task, t->first_exit + exit);
		return 0;
	}
	if (left < e->n_insns)
		return write_first(task, t, e->n_insns, left, slots);
	if (publish(task, t) < 0 ||
	    output_exec(s->output, task, t->trace_exit + exit, e->n_insns, slots,
			e->trace.n_slots) < 0 ||
	    (e->n_insns == t->n_insns && write_control_words(task, t, record) < 0))
		return -1;
	note_taken(task, t, exit);
	count_recorded(task, t->first_exit + exit);
	region_use(s, e->n_insns);
	return 0;
}

int records_write_exit(struct task *task, struct translation *t, unsigned exit, uint8_t *record)
{
	return write_exit(task, t, exit, record) < 0 ? -1 : records_end(task);
}

int records_write_partial(struct task *task, struct translation *t, unsigned executed,
			  uint8_t *record)
{
	unsigned n_slots = translation_slots_before(t, executed);
	uint64_t room[NUMBERING_SLOTS], left = window_room(task->session);
	const uint64_t *slots = corrected(task, t, record, n_slots, room);

	if (check_of(task) &&
	    self_check_insns(check_of(task), task, t, executed, slots_of(record), slots) < 0)
		return -1;
	if (!left) {
		pass(task, t, executed);
		return task->session->intervals ? records_count_partial(task, t, executed, 1) : 0;
	}
	if (write_first(task, t, executed, left, slots) < 0 ||
	    (task->session->points && records_count_partial(task, t, executed, 1) < 0))
		return -1;
	return records_end(task);
}

static int write_syscall(struct task *task, const uint64_t *slots)
{
	const struct clock_span *span = &thread_of(task)->span;
	struct syscall_made call = {
		.number = (uint32_t)slots[SYSCALL_NUMBER],
		.result = (int64_t)slots[SYSCALL_RESULT],
		.entered_ns = clock_ns(span, slots[SYSCALL_ENTERED]),
		.left_ns = clock_ns(span, slots[SYSCALL_LEFT]),
	};

	memcpy(call.args, slots + SYSCALL_ARGS, sizeof(call.args));
	if (is_recorded(task->session) && syscalls_made(task, &call) < 0)
		return -1;
	if (call.number == SYS_arch_prctl && call.args[0] == ARCH_SET_FS && !call.result &&
	    syscalls_segment(task, TF_SEGMENT_FS, call.args[1]) < 0)
		return -1;
	return record_slot(RECORD_SYSCALL_SLOTS);
}

/* Writes a record that is not a superblock's. Returns its size, or -1. */
static int write_event(struct task *task, uint32_t head, uint8_t *record)
{
	const uint64_t *slots = slots_of(record);
	uint32_t function = head - RECORD_CALL;
	unsigned n_args;

	if (head == RECORD_SYSCALL)
		return write_syscall(task, slots);
	if (head == RECORD_RETURN) {
		if (is_recorded(task->session) &&
		    functions_return(task, slots[2], slots[0], slots[1]) < 0)
			return -1;
		return record_slot(RECORD_RETURN_SLOTS);
	}
	n_args = functions_args(task->session, function);
	if (is_recorded(task->session) &&
	    functions_call(task, function, slots[1], slots[0], slots + RECORD_CALL_SLOTS) < 0)
		return -1;
	return record_slot(RECORD_CALL_SLOTS + n_args);
}

/* Appends records of published superblocks, as many as the window certainly has room for. Returns
 * the bytes used, or -1. */
static int64_t write_many(struct task *task, const struct cache *c, const uint8_t *from,
			  const uint8_t *to)
{
	struct session *s = task->session;
	uint64_t most = window_room(s) / hot_paths_most_insns(s),
		 count = (uint64_t)(to - from) / RECORD_SLOT;
	uint64_t n_insns = 0;
	int64_t used;

	if (*(const uint32_t *)from >= RECORD_CALL || !is_recorded(s))
		return 0;
	used = output_records(s->output, task, (const uint64_t *)from, count < most ? count : most,
			      cache_trace_exits(c), cache_exits(c), &n_insns);
	if (used < 0 || output_executed(s->output, task, n_insns, (uint64_t)used) < 0)
		return -1;
	count_all_recorded(task, from, from + used * RECORD_SLOT);
	region_use(s, n_insns);
	return used * RECORD_SLOT;
}

/* Writes one record of any kind. Returns its size, or -1. */
static int write_one(struct task *task, const struct cache *c, uint8_t *record)
{
	uint32_t head = *(const uint32_t *)record, number = head % TF_RECORD_KEYS;
	struct cache_exit e;

	if (head >= RECORD_CALL)
		return write_event(task, head, record);
	if (number >= cache_exits(c))
		return session_fail(task->session, TF_E_DAMAGED,
				    "process %d has overwritten the "
				    "recorder's memory",
				    (int)task->process->pid);
	e = cache_exit(c, number);
	if (write_exit(task, e.translation, e.exit, record) < 0)
		return -1;
	return record_slot(e.translation->exits[e.exit].n_places);
}

/* Writes the time by which the instructions so far had executed. Samples have a time and no
 * instruction number. */
static int write_time(struct task *task)
{
	struct tf_event event = { .kind = TF_EVENT_TIME };

	if (!task->session->sampling || !is_recorded(task->session))
		return 0;
	event.time.time_ns = thread_of(task)->span.end.ns;
	return output_event(task->session->output, task, &event);
}

int records_write(struct task *task, uint8_t *from, const uint8_t *to)
{
	const struct thread *th = thread_of(task);
	const struct cache *c = th->cache;

	/* With serial threads, the result may not depend on when the encoder reads the records
	 * (look_at_once()). */
	if (th->hot_paths && !task->session->schedule.serial)
		hot_paths_records(th->hot_paths, c, from, to);
	while (from < to) {
		int64_t used = write_many(task, c, from, to);

		if (used == 0)
			used = write_one(task, c, from);
		if (used < 0)
			return -1;
		from += used;
	}
	return write_time(task);
}
