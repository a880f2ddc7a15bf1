/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/touches.h"

#include <string.h>

#include "analyzers/common/address_space.h"
#include "cli/common/checked.h"
#include "cli/common/stream_copy.h"

enum { PARTS = 8 };

/* ---- batches ----------------------------------------------------------------------------- */

/* Returns how many of n executions have a slot. */
static unsigned slots_of(const struct walker_execution *executions, unsigned n)
{
	unsigned slots = 0;

	for (unsigned i = 0; i < n; i++)
		slots += executions[i].end != SLO_GOES_ON;
	return slots;
}

/* Hands the batch on, without the executions whose first touch is not known yet. */
static void hand_on(struct touch_finder *f)
{
	struct touch_batch *batch = f->batch;
	unsigned rest = batch->n_executions - f->begun, slots = batch->n_slots;

	batch->n_slots -= slots_of(batch->executions + f->begun, rest);
	batch->n_executions = f->begun;
	f->hand_on(f->opaque, batch);
	memmove(batch->executions, batch->executions + f->begun, rest * sizeof(*batch->executions));
	memmove(batch->firsts, batch->firsts + f->begun, rest * sizeof(*batch->firsts));
	batch->n_executions = rest;
	slots -= batch->n_slots;
	memmove(batch->slots, batch->slots + batch->n_slots, slots * sizeof(*batch->slots));
	batch->n_slots = slots;
	batch->n_touches = batch->n_events = 0;
	f->begun = 0;
}

void touch_batch_copy(struct touch_batch *to, const struct touch_batch *from, bool offsets)
{
	unsigned n = from->n_touches;

	to->thread = from->thread;
	to->n_executions = from->n_executions;
	to->n_slots = from->n_slots;
	to->n_touches = n;
	to->n_events = from->n_events;
	stream_copy(to->executions, from->executions, from->n_executions * sizeof(*to->executions));
	stream_copy(to->firsts, from->firsts, from->n_executions * sizeof(*to->firsts));
	stream_copy(to->slots, from->slots, from->n_slots * sizeof(*to->slots));
	stream_copy(to->events, from->events, from->n_events * sizeof(*to->events));
	stream_copy(to->blocks, from->blocks, n * sizeof(*to->blocks));
	stream_copy(to->insns, from->insns, n * sizeof(*to->insns));
	stream_copy(to->parts, from->parts, n * sizeof(*to->parts));
	if (offsets)
		stream_copy(to->offsets, from->offsets, n * sizeof(*to->offsets));
}

/* ---- touches ----------------------------------------------------------------------------- */

/* Returns the eighths of a block that `size` bytes from an offset on touch, a bit each. */
static inline uint8_t parts_of(uint64_t offset, uint64_t size, unsigned shift)
{
	uint64_t last = offset + (size ? size : 1) - 1;

	return (uint8_t)((2u << (last * PARTS >> shift)) - (1u << (offset * PARTS >> shift)));
}

static inline void add_touch(struct touch_finder *f, uint64_t block, uint64_t offset, uint64_t size,
			     unsigned insn)
{
	unsigned i;

	if (f->batch->n_touches == BATCH_TOUCHES)
		hand_on(f);
	i = f->batch->n_touches++;
	f->batch->blocks[i] = block;
	f->batch->offsets[i] = (uint32_t)offset;
	f->batch->insns[i] = (uint16_t)insn;
	f->batch->parts[i] = parts_of(offset, size, f->shift);
}

/* Adds a touch of each of the blocks that an access touches. */
static void add_touches(struct touch_finder *f, const struct access *access, unsigned insn)
{
	struct access_blocks its = access_blocks(access, f->shift);
	uint64_t length = UINT64_C(1) << f->shift, offset = access->address & (length - 1);
	uint64_t left = access->size;

	do {
		uint64_t size = left < length - offset ? left : length - offset;

		add_touch(f, its.block, offset, size, insn);
		left -= size;
		offset = 0;
	} while (access_blocks_next(&its));
}

/* Begins the executions up to that of an access, by its number in the collector. */
static inline void begin_executions(struct touch_finder *f, size_t access)
{
	struct touch_batch *batch = f->batch;

	while (f->begun < batch->n_executions && batch->firsts[f->begun] <= access)
		batch->firsts[f->begun++] = (uint16_t)batch->n_touches;
}

/* Takes what the collector has. */
static void consume(void *opaque, const struct access *accesses, size_t count)
{
	struct touch_finder *f = opaque;

	uint64_t last = (UINT64_C(1) << f->shift) - 1;

	for (size_t i = 0; i < count; i++) {
		uint64_t offset = accesses[i].address & last;

		begin_executions(f, i);
		if (offset + accesses[i].size - 1 <= last)
			add_touch(f, accesses[i].address >> f->shift, offset, accesses[i].size,
				  f->collector.insns[i]);
		else
			add_touches(f, &accesses[i], f->collector.insns[i]);
	}
	begin_executions(f, SIZE_MAX);
	if (f->batch->n_touches >= f->limit)
		hand_on(f);
}

/* ---- distances --------------------------------------------------------------------------- */

static void end_stack(struct touch_finder *f, uint32_t thread)
{
	if (!f->stacks[thread])
		return;
	lru_stack_free(f->stacks[thread]);
	free(f->stacks[thread]);
	f->stacks[thread] = NULL;
}

static struct lru_stack *stack_of(struct touch_finder *f, uint32_t thread)
{
	if (!f->stacks[thread]) {
		f->stacks[thread] = checked_array(1, sizeof(**f->stacks));
		lru_stack_init(f->stacks[thread]);
	}
	return f->stacks[thread];
}

void touches_find_distances(struct touch_finder *f, struct touch_batch *batch)
{
	uint32_t n_threads = tf_n_threads(f->collector.code->reader);

	batch->n_refs = 0;
	if (batch->n_touches) {
		struct lru_stack *stack = stack_of(f, batch->thread);

		lru_stack_touch(stack, batch->blocks, batch->n_touches, batch->distances,
				batch->refs);
		batch->n_refs = lru_stack_refs(stack);
	}
	for (unsigned i = 0; i < batch->n_events; i++) {
		const struct tf_event *event = &batch->events[i].event;

		if (event->kind == TF_EVENT_THREAD_EXIT && event->thread < n_threads)
			end_stack(f, event->thread);
	}
}

/* ---- feeding ----------------------------------------------------------------------------- */

void touches_init(struct touch_finder *f, const struct access_code *accesses)
{
	f->stacks = checked_array(tf_n_threads(accesses->reader), sizeof(*f->stacks));
	f->batch = checked_array(1, sizeof(*f->batch));
	f->batch->thread = TF_NONE;
	f->collector.code = accesses;
	f->collector.kinds = ACCESS_READ | ACCESS_WRITE;
	f->collector.consume = consume;
	f->collector.opaque = f;
}

void touches_free(struct touch_finder *f)
{
	for (uint32_t i = 0; f->stacks && i < tf_n_threads(f->collector.code->reader); i++)
		end_stack(f, i);
	free(f->stacks);
	free(f->batch);
}

void touches_finish(struct touch_finder *f)
{
	access_flush(&f->collector);
	if (f->batch->n_executions || f->batch->n_touches || f->batch->n_events)
		hand_on(f);
}

static inline void add_execution(struct touch_finder *f, const struct tf_block_exec *exec,
				 bool resumes)
{
	struct touch_batch *batch = f->batch;
	unsigned i = batch->n_executions++;

	batch->executions[i] = walker_execution(f->code, exec, &batch->slots[batch->n_slots]);
	batch->n_slots += batch->executions[i].end != SLO_GOES_ON;
	batch->executions[i].resumes = resumes;
	batch->firsts[i] = (uint16_t)f->collector.count;
}

static void go_on_with(struct touch_finder *f, uint32_t thread)
{
	if (f->batch->thread == thread)
		return;
	touches_finish(f);
	f->batch->thread = thread;
}

void touches_feed(struct touch_finder *f, const struct tf_item *item)
{
	uint64_t space = address_space(f->collector.code->reader, item->thread);

	go_on_with(f, item->thread);
	for (size_t i = 0; i < item->count; i++) {
		if (f->batch->n_executions == BATCH_EXECUTIONS)
			touches_finish(f);
		add_execution(f, &item->blocks[i], i == 0);
		access_collect_block(&f->collector, &item->blocks[i], space);
	}
}

/* Keeps the event without the parts that are valid only now. */
static void add_event(struct touch_batch *batch, const struct tf_event *event)
{
	struct touch_event *kept = &batch->events[batch->n_events++];

	kept->before = batch->n_executions;
	kept->event = *event;
	kept->event.payload = NULL;
	kept->event.payload_size = 0;
	if (event->kind == TF_EVENT_EXEC)
		kept->event.exec.path = NULL;
}

void touches_event(struct touch_finder *f, const struct tf_event *event)
{
	access_flush(&f->collector);
	if (f->batch->n_events == BATCH_EVENTS)
		hand_on(f);
	add_event(f->batch, event);
	if (event->kind == TF_EVENT_THREAD_EXIT && event->thread == f->batch->thread)
		go_on_with(f, TF_NONE); /* so that no touch follows the end in the batch */
}
