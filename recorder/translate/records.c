/* SPDX-License-Identifier: MIT */
#include "recorder/translate/records.h"

#include "recorder/dictionary.h"
#include "recorder/functions.h"
#include "recorder/output.h"
#include "recorder/region.h"
#include "recorder/translate/profile.h"

/* Puts the path into the trace, if this is its first record. */
static int publish(struct task *task, struct translation *t)
{
	struct cache *c = ((struct thread *)task->translate)->cache;
	struct output *o = task->session->output;
	uint32_t blocks[PLAN_BLOCKS];
	struct tf_exit exits[PLAN_EXITS];
	struct tf_path path = {
		.n_blocks = (uint16_t)t->n_blocks, .n_exits = (uint16_t)t->n_exits,
		.n_slots = (uint16_t)t->n_slots, .n_values = (uint16_t)t->n_values,
		.n_insns = t->n_insns, .blocks = blocks, .recipes = t->recipes, .exits = exits,
	};

	if (t->trace_path != TF_NONE)
		return 0;
	for (unsigned i = 0; i < t->n_blocks; i++) {
		if (dictionary_publish(t->blocks[i], o) < 0)
			return -1;
		blocks[i] = t->blocks[i]->trace.id;
	}
	for (unsigned i = 0; i < t->n_exits; i++)
		exits[i] = t->exits[i].trace;
	if (output_add_path(o, &path, &t->trace_path, &t->trace_exit) < 0)
		return -1;
	for (unsigned i = 0; i < t->n_exits && !t->n_corrections; i++)
		cache_set_trace_exit(c, t->first_exit + i, t->trace_exit + i);
	return 0;
}

static uint64_t *slots_of(uint8_t *record)
{
	return (uint64_t *)(record + RECORD_HEADER);
}

static uint64_t *corrected(struct task *task, const struct translation *t, uint8_t *record,
			   unsigned n_slots)
{
	uint64_t *slots = slots_of(record);

	if (t->n_corrections)
		plan_correct(t->corrections, t->n_corrections, task->session->vectors.xcr0, slots,
			     n_slots);
	return slots;
}

/* Instructions count for the limits of the region; false: they are not recorded. */
static bool count(struct task *task, unsigned n_insns)
{
	struct session *s = task->session;

	s->budget -= n_insns;
	if (s->phase == PHASE_SKIP)
		task->skipped += n_insns;
	return region_recording(s);
}

int records_write_exit(struct task *task, struct translation *t, unsigned exit, uint8_t *record)
{
	const struct translation_exit *e = &t->exits[exit];

	if (!count(task, e->n_insns))
		return 0;
	if (publish(task, t) < 0)
		return -1;
	return output_exec(task->session->output, task, t->trace_exit + exit, e->n_insns,
			   corrected(task, t, record, e->trace.n_slots), e->trace.n_slots);
}

int records_write_partial(struct task *task, struct translation *t, unsigned executed,
			  uint8_t *record)
{
	unsigned n_slots = t->slots[executed];

	if (!count(task, executed))
		return 0;
	if (publish(task, t) < 0)
		return -1;
	return output_partial(task->session->output, task, t->trace_path, executed,
			      corrected(task, t, record, n_slots), n_slots);
}

/* Writes a call or return record. Returns its size, or -1. */
static int write_event(struct task *task, uint32_t number, uint8_t *record)
{
	const uint64_t *slots = slots_of(record);
	uint32_t function = number - RECORD_CALL;
	unsigned n_args;

	if (number == RECORD_RETURN) {
		if (region_recording(task->session) &&
		    functions_return(task, slots[2], slots[0], slots[1]) < 0)
			return -1;
		return record_slot(RECORD_RETURN_SLOTS);
	}
	n_args = functions_args(task->session, function);
	if (region_recording(task->session) &&
	    functions_call(task, function, slots[1], slots[0], slots + RECORD_CALL_SLOTS) < 0)
		return -1;
	return record_slot(RECORD_CALL_SLOTS + n_args);
}

/* Appends records of published paths. Returns the bytes used, or -1. */
static int64_t write_many(struct task *task, const struct cache *c, const uint8_t *from,
			  const uint8_t *to)
{
	uint64_t n_insns = 0;
	int64_t used;

	if (!region_recording(task->session))
		return 0;
	used = output_records(task->session->output, task, (const uint64_t *)from,
			      (size_t)(to - from) / RECORD_SLOT, cache_trace_exits(c),
			      cache_exits(c), &n_insns);
	if (used < 0)
		return -1;
	task->session->budget -= n_insns;
	return used * RECORD_SLOT;
}

/* Writes one record of any kind. Returns its size, or -1. */
static int write_one(struct task *task, const struct cache *c, uint8_t *record)
{
	uint32_t number = *(const uint32_t *)record;
	struct cache_exit e;

	if (number >= RECORD_CALL)
		return write_event(task, number, record);
	if (number >= cache_exits(c))
		return session_fail(task->session, TF_E_DAMAGED, "process %d has overwritten the "
				    "recorder's memory", (int)task->process->pid);
	e = cache_exit(c, number);
	if (records_write_exit(task, e.translation, e.exit, record) < 0)
		return -1;
	return record_slot(e.translation->exits[e.exit].trace.n_slots);
}

int records_write(struct task *task, uint8_t *from, const uint8_t *to)
{
	const struct thread *th = task->translate;
	const struct cache *c = th->cache;

	if (th->profile)
		profile_records(th->profile, c, from, to);
	while (from < to) {
		int64_t used = write_many(task, c, from, to);

		if (used == 0)
			used = write_one(task, c, from);
		if (used < 0)
			return -1;
		from += used;
	}
	return 0;
}
