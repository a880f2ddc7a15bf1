/* SPDX-License-Identifier: MIT */
#include "cli/import/thread_writer.h"

#include <string.h>

#include "cli/common/checked.h"

enum { RECORDS = 1 << 16 }; /* u64 */

struct thread_writer *thread_writer_open(struct code_table *code, struct thread_order *order,
					 uint32_t thread)
{
	struct thread_writer *t = checked_array(1, sizeof(*t));
	struct tf_error error;

	t->code = code;
	t->order = order;
	t->thread = thread;
	CHECKED_RESERVE(t->records, RECORDS);
	if (code_check(code, tf_stream_open(code->writer, thread, &t->stream, &error), &error))
		return t;
	free(t->records.at);
	free(t);
	return NULL;
}

/* ---- executions -------------------------------------------------------------------------- */

static void write_records(struct thread_writer *t)
{
	struct code_table *code = t->code;
	struct tf_error error;
	int64_t used = 0;

	if (t->records.count && code->status >= 0)
		used = tf_stream_records(t->stream, t->records.at, t->records.count, code->exits.at,
					 code->exits.count, &error);
	code_check(code, used < 0 ? (int)used : 0, &error);
	t->records.count = 0;
}

/* Writes the events before instruction n of the run; later ones move ahead by n. */
static void write_events(struct thread_writer *t, unsigned n)
{
	struct code_table *code = t->code;
	struct tf_error error;
	size_t done = 0;

	if (!t->events.count)
		return;
	write_records(t);
	for (; done < t->events.count && t->events.at[done].ahead < n; done++) {
		const struct thread_event *e = &t->events.at[done];

		if (code->status < 0)
			break;
		code_check(code,
			   e->ahead ? tf_stream_event_ahead(t->stream, &e->event, e->ahead, &error)
				    : tf_stream_event(t->stream, &e->event, &error),
			   &error);
	}
	t->n_events += done;
	t->events.count -= done;
	memmove(t->events.at, t->events.at + done, t->events.count * sizeof(*t->events.at));
	for (size_t i = 0; i < t->events.count; i++)
		t->events.at[i].ahead -= n;
}

static void append_execution(struct thread_writer *t, const struct code_block *block, bool taken)
{
	uint64_t *at;

	if (t->records.count + 1 + block->n_slots > RECORDS)
		write_records(t);
	at = t->records.at + t->records.count;
	*at++ = tf_record_head(block->exit + (block->end == TF_END_CONDITIONAL && taken),
			       block->n_slots);
	memcpy(at, t->addresses, t->n_addresses * sizeof(*at));
	memcpy(at + t->n_addresses, t->extras, t->n_extras * sizeof(*at));
	t->records.count += 1 + block->n_slots;
}

static void write_partial(struct thread_writer *t, const struct code_block *block)
{
	unsigned extras_at = t->code->addresses ? block->n_operands : 0;
	unsigned n_slots = t->n_extras ? extras_at + t->n_extras : t->n_addresses;
	uint64_t slots[CODE_BLOCK_VALUES];
	struct tf_error error;

	memset(slots, 0, n_slots * sizeof(*slots));
	memcpy(slots, t->addresses, t->n_addresses * sizeof(*slots));
	memcpy(slots + extras_at, t->extras, t->n_extras * sizeof(*slots));
	write_records(t);
	if (t->code->status >= 0)
		code_check(t->code,
			   tf_stream_partial(t->stream, block->path, t->n_insns, slots, n_slots, 0,
					     &error),
			   &error);
}

enum how { NOT_TAKEN, TAKEN, CUT };

static void end_run(struct thread_writer *t, enum how how)
{
	const struct code_block *block;

	if (!t->n_insns)
		return;
	write_events(t, t->n_insns);
	if (t->code->status >= 0) {
		block = code_block(t->code, t->insns, t->n_insns, how == CUT);
		if (block && (block->n_insns > t->n_insns ||
			      (how == CUT && block->end == TF_END_CONDITIONAL)))
			write_partial(t, block);
		else if (block)
			append_execution(t, block, how == TAKEN);
	}
	t->ordinal += t->n_insns;
	t->n_insns = t->n_addresses = t->n_extras = 0;
}

void thread_branch(struct thread_writer *t, bool taken)
{
	end_run(t, taken ? TAKEN : NOT_TAKEN);
}

void thread_cut(struct thread_writer *t)
{
	end_run(t, CUT);
}

void thread_insn(struct thread_writer *t, uint32_t insn, const uint64_t *values,
		 unsigned n_addresses, unsigned n_extras)
{
	const struct code_insn *i = &t->code->insns.at[insn];

	if (t->n_insns == CODE_BLOCK_INSNS ||
	    t->n_addresses + t->n_extras + i->n_values > CODE_BLOCK_VALUES)
		thread_branch(t, false);
	if (t->n_insns && t->next_pc != i->key.pc)
		thread_cut(t);
	t->insns[t->n_insns++] = insn;
	memcpy(t->addresses + t->n_addresses, values, n_addresses * sizeof(*values));
	memcpy(t->extras + t->n_extras, values + n_addresses, n_extras * sizeof(*values));
	t->n_addresses += n_addresses;
	t->n_extras += n_extras;
	t->next_pc = i->key.pc + i->key.length;
}

/* ---- events, times ----------------------------------------------------------------------- */

uint64_t thread_event(struct thread_writer *t, const struct tf_event *event)
{
	CHECKED_RESERVE(t->events, t->events.count + 1);
	t->events.at[t->events.count++] = (struct thread_event){ *event, t->n_insns };
	return t->n_events + t->events.count;
}

struct tf_event *thread_waiting(struct thread_writer *t, uint64_t number)
{
	return number > t->n_events ? &t->events.at[number - t->n_events - 1].event : NULL;
}

void thread_flush(struct thread_writer *t)
{
	write_events(t, 1);
}

void thread_time(struct thread_writer *t, uint64_t time)
{
	thread_order_begin(t->order, t->thread, time, t->ordinal);
}

void thread_writer_close(struct thread_writer *t)
{
	struct tf_error error;

	if (!t)
		return;
	thread_cut(t);
	write_events(t, 1);
	write_records(t);
	thread_order_end(t->order, t->thread, t->ordinal);
	code_check(t->code, tf_stream_close(t->stream, &error), &error);
	free(t->events.at);
	free(t->records.at);
	free(t);
}
