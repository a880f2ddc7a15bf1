/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/batch.h"

#include <string.h>

#include "cli/common/stream_copy.h"

void ibs_batch_free(struct ibs_batch *batch)
{
	free(batch->values.at);
}

/* Lets the pointers of a copy point into the copy. */
static void relocate(struct ibs_batch *to, const struct ibs_batch *from)
{
	for (unsigned i = 0; i < to->n_runs; i++)
		to->runs[i].values = to->values.at + (from->runs[i].values - from->values.at);
	for (unsigned i = 0; i < to->n_ops; i++)
		to->ops[i].accesses = to->accesses + (from->ops[i].accesses - from->accesses);
	for (unsigned i = 0; i < to->n_entries; i++) {
		const struct ibs_entry *old = &from->entries[i];
		struct ibs_entry *new = &to->entries[i];

		switch ((enum ibs_entry_kind)old->kind) {
		case IBS_ENTRY_EXECUTION:
			new->execution.values = to->values.at +
						(old->execution.values - from->values.at);
			break;
		case IBS_ENTRY_RUNS: new->runs = to->runs + (old->runs - from->runs); break;
		case IBS_ENTRY_OPS: new->ops = to->ops + (old->ops - from->ops); break;
		case IBS_ENTRY_EVENT: new->event = to->events + (old->event - from->events); break;
		case IBS_ENTRY_ITEM:
		case IBS_ENTRY_REST:
		case IBS_ENTRY_END: break;
		}
	}
}

void ibs_batch_copy(struct ibs_batch *to, const struct ibs_batch *from)
{
	to->n_entries = from->n_entries;
	to->n_runs = from->n_runs;
	to->n_ops = from->n_ops;
	to->n_accesses = from->n_accesses;
	to->n_events = from->n_events;
	CHECKED_RESERVE(to->values, from->values.capacity);
	to->values.count = from->values.count;
	stream_copy(to->entries, from->entries, from->n_entries * sizeof(*to->entries));
	stream_copy(to->runs, from->runs, from->n_runs * sizeof(*to->runs));
	stream_copy(to->ops, from->ops, from->n_ops * sizeof(*to->ops));
	stream_copy(to->accesses, from->accesses, from->n_accesses * sizeof(*to->accesses));
	stream_copy(to->events, from->events, from->n_events * sizeof(*to->events));
	if (from->values.count)
		stream_copy(to->values.at, from->values.at,
			    from->values.count * sizeof(*to->values.at));
	relocate(to, from);
}

/* ---- room -------------------------------------------------------------------------------- */

void ibs_writer_flush(struct ibs_writer *w)
{
	struct ibs_batch *batch = w->batch;

	if (!batch->n_entries)
		return;
	w->hand_on(w->opaque, batch);
	batch->n_entries = batch->n_runs = batch->n_ops = batch->n_accesses = 0;
	batch->n_events = 0;
	batch->values.count = 0;
}

/* Returns true if there is room for an entry, whatever a program hands on with it. */
static bool has_room(const struct ibs_batch *b, size_t n_values)
{
	return b->n_entries < IBS_BATCH_ENTRIES && b->n_events < IBS_BATCH_EVENTS &&
	       b->n_runs <= IBS_MOST_RUNS - IBS_PROGRAM_RUNS &&
	       b->n_ops <= IBS_MOST_OPS - IBS_PROGRAM_OPS &&
	       b->n_accesses <= IBS_MOST_ACCESSES - IBS_PROGRAM_ACCESSES &&
	       b->values.count + n_values <= b->values.capacity;
}

/* Adds an entry. The array of values moves only while nothing points to it. */
static struct ibs_entry *add(struct ibs_writer *w, enum ibs_entry_kind kind, uint32_t thread,
			     size_t n_values)
{
	enum { USUAL_VALUES = 2 * IBS_MOST_RUNS };
	struct ibs_entry *entry;

	if (!has_room(w->batch, n_values)) {
		ibs_writer_flush(w);
		CHECKED_RESERVE(w->batch->values, n_values + USUAL_VALUES);
	}
	entry = &w->batch->entries[w->batch->n_entries++];
	entry->kind = kind;
	entry->thread = thread;
	return entry;
}

static inline const uint64_t *add_values(struct ibs_batch *b, const uint64_t *values, size_t n)
{
	uint64_t *copy = &b->values.at[b->values.count];

	for (size_t i = 0; i < n; i++)
		copy[i] = values[i];
	b->values.count += n;
	return copy;
}

/* ---- entries ----------------------------------------------------------------------------- */

void ibs_write_item(struct ibs_writer *w, const struct tf_item *item)
{
	add(w, IBS_ENTRY_ITEM, item->thread, 0)->block = item->blocks[0].block;
}

void ibs_write_execution(struct ibs_writer *w, uint32_t thread,
			 const struct tf_block_exec *execution, bool is_late)
{
	size_t n_values = execution->block->n_values;
	struct ibs_entry *entry = add(w, IBS_ENTRY_EXECUTION, thread, n_values);

	entry->is_late = is_late;
	entry->execution = *execution;
	entry->execution.values = add_values(w->batch, execution->values, n_values);
}

/* Keeps the event without the parts that are valid only now. */
void ibs_write_event(struct ibs_writer *w, const struct tf_event *event)
{
	struct ibs_entry *entry = add(w, IBS_ENTRY_EVENT, event->thread, 0);
	struct tf_event *copy = &w->batch->events[w->batch->n_events++];

	*copy = *event;
	copy->payload = NULL;
	copy->payload_size = 0;
	if (event->kind == TF_EVENT_EXEC)
		copy->exec.path = NULL;
	entry->event = copy;
}

/* ---- fronts ------------------------------------------------------------------------------ */

/* Lets the program write its next runs into the batch. */
static void offer_runs(struct ibs_front *front)
{
	struct ibs_writer *w = front->writer;

	if (w->batch->n_runs + w->batch->n_ops >= w->limit || !has_room(w->batch, 0))
		ibs_writer_flush(w);
	front->program.runs = &w->batch->runs[w->batch->n_runs];
}

static void write_runs(void *opaque, struct ibs_run *runs, size_t count)
{
	struct ibs_front *front = opaque;
	struct ibs_entry *entry;
	struct ibs_batch *batch;
	size_t n_values = 0;

	for (size_t i = 0; i < count; i++)
		n_values += runs[i].n_values;
	entry = add(front->writer, IBS_ENTRY_RUNS, front->thread, n_values);
	batch = front->writer->batch;
	entry->count = count;
	entry->runs = memmove(&batch->runs[batch->n_runs], runs, count * sizeof(*runs));
	for (size_t i = 0; i < count; i++, batch->n_runs++)
		batch->runs[batch->n_runs].values = add_values(batch, runs[i].values,
							       runs[i].n_values);
	offer_runs(front);
}

static void write_ops(void *opaque, const struct ibs_op *ops, size_t count)
{
	struct ibs_front *front = opaque;
	struct ibs_entry *entry = add(front->writer, IBS_ENTRY_OPS, front->thread, 0);
	struct ibs_batch *batch = front->writer->batch;

	entry->count = count;
	entry->ops = &batch->ops[batch->n_ops];
	for (size_t i = 0; i < count; i++) {
		struct ibs_op *copy = &batch->ops[batch->n_ops++];

		*copy = ops[i];
		copy->accesses = memcpy(&batch->accesses[batch->n_accesses], ops[i].accesses,
					ops[i].n_accesses * sizeof(*ops[i].accesses));
		batch->n_accesses += ops[i].n_accesses;
	}
	offer_runs(front);
}

void ibs_front_init(struct ibs_front *front, const struct machine *machine,
		    const struct ibs_code *code)
{
	front->program.consume = write_ops;
	front->program.run = write_runs;
	front->program.opaque = front;
	ibs_program_init(&front->program, machine, code);
}

void ibs_front_free(struct ibs_front *front)
{
	ibs_program_free(&front->program);
}

void ibs_front_feed(struct ibs_front *front, const struct tf_item *item)
{
	offer_runs(front);
	ibs_program_feed(&front->program, item);
}

void ibs_front_end(struct ibs_front *front)
{
	add(front->writer, IBS_ENTRY_REST, front->thread, 0)->is_late = front->program.n_ops > 0;
	ibs_program_end(&front->program);
	add(front->writer, IBS_ENTRY_END, front->thread, 0);
}
