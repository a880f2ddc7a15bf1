/* SPDX-License-Identifier: MIT */
/*
 * What a cursor over a random trace must hand out, as a list of single executions and events, and
 * the comparison with what it does hand out.
 */
#ifndef TRACE_TRUTH_H
#define TRACE_TRUTH_H

#include "tests/unit/random_trace.h"

/* One execution (of a path, a block or an instruction, by the view), or one event. */
struct truth_item {
	const struct tf_event *event;	/* NULL: an execution */
	uint32_t thread;
	uint64_t ordinal;		/* of its first instruction */
	uint32_t executed;		/* instructions; 0: event */
	const struct random_exec *exec;
	const struct tf_block *block;	/* not for TF_VIEW_PATHS */
	const uint64_t *values;		/* of the block */
	uint16_t insn;			/* TF_VIEW_INSNS */
	uint8_t outcome;
};

struct truth { VECTOR(struct truth_item) items; };

/* ---- the list ------------------------------------------------------------------------------ */

static inline void truth_block(struct truth *truth, const struct truth_item *block,
			       enum tf_view view)
{
	struct truth_item item = *block;

	if (view == TF_VIEW_BLOCKS) {
		PUSH(&truth->items, item);
		return;
	}
	item.executed = 1;
	item.outcome = TF_NOT_TAKEN;
	for (uint16_t i = 0; i < block->executed; i++) {
		item.insn = i;
		item.ordinal = block->ordinal + i;
		if (i + 1u == block->executed)
			item.outcome = block->outcome;
		PUSH(&truth->items, item);
	}
}

static inline void truth_exec(struct truth *truth, const struct random_trace *t, uint32_t thread,
			      const struct random_exec *e, enum tf_view view)
{
	const struct tf_path *p = &t->paths.at[e->path];
	struct truth_item item = {
		.thread = thread, .ordinal = e->first, .executed = e->executed, .exec = e,
	};
	const uint64_t *values = e->values;
	uint32_t left = e->executed;

	if (view == TF_VIEW_PATHS) {
		PUSH(&truth->items, item);
		return;
	}
	for (unsigned i = 0; left; i++) {
		const struct tf_block *b = &t->blocks.at[p->blocks[i]];

		item.block = b;
		item.values = values;
		item.executed = left < b->n_insns ? left : b->n_insns;
		left -= item.executed;
		if (left)
			item.outcome = t->blocks.at[p->blocks[i + 1]].pc != b->pc + b->code_size ||
				       (b->end >= TF_END_JUMP && b->end <= TF_END_RETURN) ?
				       TF_TAKEN : TF_NOT_TAKEN;
		else
			item.outcome = e->partial ? TF_PARTIAL : p->exits[e->exit - p->first_exit].outcome;
		truth_block(truth, &item, view);
		item.ordinal += item.executed;
		values += b->n_values;
	}
}

/* Puts the events of a thread in front of the executions that contain their ordinals. */
static inline void truth_add_events(struct truth *truth, const struct random_stream *s)
{
	struct truth merged = { 0 };
	size_t next = 0;

	for (size_t i = 0; i <= truth->items.count; i++) {
		const struct truth_item *item = i < truth->items.count ? &truth->items.at[i] : NULL;

		while (next < s->events.count &&
		       (!item || s->events.at[next].ordinal < item->ordinal + item->executed)) {
			const struct tf_event *e = &s->events.at[next++];

			PUSH(&merged.items, (struct truth_item){
				.event = e, .thread = e->thread, .ordinal = e->ordinal });
		}
		if (item)
			PUSH(&merged.items, *item);
	}
	free(truth->items.at);
	*truth = merged;
}

static inline struct truth truth_thread(const struct random_trace *t, uint32_t thread,
					enum tf_view view, unsigned columns)
{
	const struct random_stream *s = &t->streams[thread];
	struct truth truth = { 0 };

	for (size_t i = 0; i < s->execs.count; i++)
		truth_exec(&truth, t, thread, &s->execs.at[i], view);
	if (columns & TF_EVENTS)
		truth_add_events(&truth, s);
	return truth;
}

static inline bool truth_closing(const struct truth_item *item, uint64_t reached)
{
	return item->event && item->ordinal == reached &&
	       (item->event->kind == TF_EVENT_SYSCALL || item->event->kind == TF_EVENT_THREAD_EXIT ||
		item->event->kind == TF_EVENT_PROCESS_EXIT);
}

/*
 * The merged order: run after run of the schedule, then what is left thread by thread. A run ends
 * with the events that belong to its last instruction.
 */
static inline struct truth truth_merged(const struct random_trace *t, enum tf_view view,
					unsigned columns)
{
	unsigned n = t->options.n_threads;
	struct truth *threads = calloc(n, sizeof(*threads)), merged = { 0 };
	uint64_t *reached = calloc(n, sizeof(*reached)), *stop = calloc(n, sizeof(*stop));
	size_t *next = calloc(n, sizeof(*next));

	assert(threads && reached && stop && next);
	for (uint32_t i = 0; i < n; i++)
		threads[i] = truth_thread(t, i, view, columns);
	for (size_t r = 0; r < t->schedule.count + n; r++) {
		bool rest = r >= t->schedule.count;
		uint32_t i = rest ? (uint32_t)(r - t->schedule.count) : t->schedule.at[r].thread;
		const struct truth *from = &threads[i];

		stop[i] = rest ? UINT64_MAX : stop[i] + t->schedule.at[r].instructions;
		for (; next[i] < from->items.count && reached[i] < stop[i]; next[i]++) {
			reached[i] += from->items.at[next[i]].executed;
			PUSH(&merged.items, from->items.at[next[i]]);
		}
		for (; next[i] < from->items.count &&
		       truth_closing(&from->items.at[next[i]], reached[i]); next[i]++)
			PUSH(&merged.items, from->items.at[next[i]]);
	}
	for (uint32_t i = 0; i < n; i++)
		free(threads[i].items.at);
	free(threads);
	free(reached);
	free(stop);
	free(next);
	return merged;
}

/* Returns the part of the list that a cursor with `first` and `count` gives, as [*from, *to). */
static inline void truth_range(const struct truth *truth, uint64_t first, uint64_t count,
			       size_t *from, size_t *to)
{
	uint64_t step = 0, stop = count > UINT64_MAX - first ? UINT64_MAX : first + count;
	size_t n = truth->items.count, i = 0;

	for (; i < n && step + truth->items.at[i].executed <= first; i++)
		step += truth->items.at[i].executed;
	if (step < first && i == n) {	/* behind the end */
		*from = *to = n;
		return;
	}
	*from = i;
	if (step == first)	/* the events in front of it belong to it */
		while (*from && truth->items.at[*from - 1].event)
			--*from;
	else			/* it is entered midway; events inside it that are behind come too */
		while (*from && truth->items.at[*from - 1].event &&
		       truth->items.at[*from - 1].ordinal >= truth->items.at[i].ordinal + first - step &&
		       truth->items.at[*from - 1].thread == truth->items.at[i].thread)
			--*from;
	*to = *from;
	for (i = *from; i < n && step < stop && count; i++) {
		step += truth->items.at[i].executed;
		if (truth->items.at[i].executed)
			*to = i + 1;
	}
	if (step < stop && count)
		*to = n;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* An event as text, all of its fields. */
static inline void truth_event_text(const struct tf_event *e, char *text, size_t size)
{
	int n = snprintf(text, size, "thread %u ordinal %llu kind %u:", e->thread,
			 (unsigned long long)e->ordinal, e->kind);
	uint64_t v[8] = { 0 };
	const char *string = "";

	switch ((enum tf_event_kind)e->kind) {
	case TF_EVENT_SYSCALL:
		v[0] = e->syscall.number;
		memcpy(v + 1, e->syscall.args, sizeof(e->syscall.args));
		v[7] = e->syscall.time_ns;
		break;
	case TF_EVENT_SYSCALL_RESULT:
		v[0] = e->syscall_result.number;
		v[1] = (uint64_t)e->syscall_result.result;
		v[2] = e->syscall_result.time_ns;
		break;
	case TF_EVENT_SIGNAL:
		v[0] = e->signal.number;
		v[1] = (uint64_t)e->signal.code;
		v[2] = e->signal.address;
		v[3] = e->signal.pc;
		v[4] = e->signal.handler;
		break;
	case TF_EVENT_SIGRETURN: v[0] = e->sigreturn.pc; break;
	case TF_EVENT_THREAD_START:
		v[0] = e->thread_start.thread;
		v[1] = e->thread_start.time_ns;
		break;
	case TF_EVENT_THREAD_EXIT:
		v[0] = (uint64_t)e->thread_exit.status;
		v[1] = e->thread_exit.time_ns;
		break;
	case TF_EVENT_PROCESS_START:
		v[0] = e->process_start.process;
		v[1] = e->process_start.time_ns;
		break;
	case TF_EVENT_PROCESS_EXIT:
		v[0] = (uint64_t)e->process_exit.wait_status;
		v[1] = e->process_exit.time_ns;
		break;
	case TF_EVENT_EXEC:
		string = e->exec.path;
		v[0] = e->exec.time_ns;
		break;
	case TF_EVENT_MAPPING: v[0] = e->mapping.index; break;
	case TF_EVENT_REGION_BEGIN:
	case TF_EVENT_REGION_END: v[0] = e->region.index; break;
	case TF_EVENT_CALL:
		v[0] = e->call.function;
		v[1] = e->call.n_args;
		memcpy(v + 2, e->call.args, sizeof(e->call.args));
		break;
	case TF_EVENT_RETURN:
		v[0] = e->ret.function;
		v[1] = e->ret.result;
		break;
	case TF_EVENT_CONTROL_WORD:
		v[0] = e->control_word.which;
		v[1] = e->control_word.value;
		break;
	case TF_EVENT_GAP:
		v[0] = e->gap.reason;
		v[1] = e->gap.instructions;
		break;
	case TF_EVENT_TIME: v[0] = e->time.time_ns; break;
	case TF_EVENT_SEGMENT_BASE:
		v[0] = e->segment_base.segment;
		v[1] = e->segment_base.base;
		break;
	}
	for (unsigned i = 0; i < 8; i++)
		n += snprintf(text + n, size - (size_t)n, " %llx", (unsigned long long)v[i]);
	snprintf(text + n, size - (size_t)n, " %s", string);
}

static inline bool truth_event_same(const struct tf_event *a, const struct tf_event *b)
{
	char x[512], y[512];

	if (a->kind != b->kind || a->ordinal != b->ordinal || a->thread != b->thread)
		return false;
	truth_event_text(a, x, sizeof(x));
	truth_event_text(b, y, sizeof(y));
	return !strcmp(x, y);
}

/* True if the values of the block's executed instructions [from, to) are as expected. */
static inline bool truth_values_same(const struct truth_item *truth, const uint64_t *values,
				     unsigned from, unsigned to)
{
	const struct tf_block *b = truth->block;

	for (unsigned k = 0; k < b->n_operands; k++) {
		const struct tf_operand *o = &b->operands[k];

		if (o->insn < from || o->insn >= to)
			continue;
		if (values[k] != truth->values[k])
			return false;
		for (unsigned j = 0; j < random_extras_of(o); j++)
			if (values[o->extra + j] != truth->values[o->extra + j])
				return false;
	}
	return true;
}

/* True if execution i of the batch is the expected one. */
static inline bool truth_same(const struct truth_item *truth, const struct tf_item *item, size_t i,
			      unsigned columns)
{
	const uint64_t *values = NULL;
	unsigned from = 0, to = 0;

	if (truth->event || truth->thread != item->thread)
		return false;
	switch (item->kind) {
	case TF_ITEM_PATHS:
		return item->paths[i].exit == truth->exec->exit &&
		       item->paths[i].executed == truth->executed;
	case TF_ITEM_BLOCKS: {
		const struct tf_block_exec *e = &item->blocks[i];

		if (e->block->id != truth->block->id || e->executed != truth->executed ||
		    e->outcome != truth->outcome)
			return false;
		values = e->values;
		to = e->executed;
		break;
	}
	case TF_ITEM_INSNS: {
		const struct tf_insn_exec *e = &item->insns[i];

		if (e->block->id != truth->block->id || e->index != truth->insn ||
		    e->outcome != truth->outcome ||
		    e->pc != truth->block->pc + truth->block->insns[truth->insn].offset)
			return false;
		values = e->values;
		from = e->index;
		to = from + 1u;
		break;
	}
	case TF_ITEM_EVENT:
		return false;
	}
	if (!(columns & TF_ADDRESSES))
		return !values;
	return values && truth_values_same(truth, values, from, to);
}

/*
 * Reads a cursor to its end and compares. Returns true if it gives exactly the list's part
 * [from, to); else *why says what differs.
 */
static inline bool truth_cursor(struct tf_cursor *cursor, const struct truth *truth, size_t from,
				size_t to, unsigned columns, char *why, size_t why_size)
{
	struct tf_error error;
	struct tf_item item;
	int status;

	while ((status = tf_next(cursor, &item, &error)) > 0) {
		uint64_t ordinal = item.ordinal;
		char expected[512] = "the end", found[512];

		if (item.kind == TF_ITEM_EVENT) {
			if (from < to && truth->items.at[from].event &&
			    truth_event_same(item.event, truth->items.at[from].event)) {
				from++;
				continue;
			}
			if (from < to && truth->items.at[from].event)
				truth_event_text(truth->items.at[from].event, expected, sizeof(expected));
			else if (from < to)
				snprintf(expected, sizeof(expected), "thread %u, instruction %llu",
					 truth->items.at[from].thread,
					 (unsigned long long)truth->items.at[from].ordinal);
			truth_event_text(item.event, found, sizeof(found));
			snprintf(why, why_size, "item %zu is %.400s instead of %.400s", from, found, expected);
			return false;
		}
		for (size_t i = 0; i < item.count; i++, from++) {
			const struct truth_item *next = &truth->items.at[from];

			if (from >= to || next->ordinal != ordinal || !truth_same(next, &item, i, columns)) {
				snprintf(why, why_size, "item %zu of %zu: thread %u, instruction %llu is wrong",
					 from, to, item.thread, (unsigned long long)ordinal);
				return false;
			}
			ordinal += next->executed;
		}
		if (ordinal != item.ordinal + item.instructions || !item.count) {
			snprintf(why, why_size, "a batch at %llu has a wrong number of instructions",
				 (unsigned long long)item.ordinal);
			return false;
		}
	}
	if (status < 0)
		snprintf(why, why_size, "%.400s", error.text);
	else if (from != to)
		snprintf(why, why_size, "%zu items are missing", to - from);
	return status == 0 && from == to;
}

/* ---- totals -------------------------------------------------------------------------------- */

/* Accesses of an operand's execution, counted one by one. */
static inline uint64_t truth_accesses(const struct tf_operand *o, const uint64_t *values)
{
	uint64_t n = 0;

	switch (o->form) {
	case TF_MASKED:
	case TF_LANES:
		for (unsigned i = 0; i < o->lanes; i++)
			n += values[o->extra] >> i & 1;
		return n;
	case TF_REP:
		return values[o->extra + 1];
	}
	return 1;
}

/* Adds to *sum what a thread does, block by block. */
static inline void truth_totals(const struct random_trace *t, uint32_t thread,
				struct tf_totals *sum)
{
	struct truth truth = truth_thread(t, thread, TF_VIEW_BLOCKS, 0);

	sum->paths += t->streams[thread].execs.count;
	sum->events += t->streams[thread].events.count;
	for (size_t i = 0; i < truth.items.count; i++) {
		const struct truth_item *item = &truth.items.at[i];
		uint16_t last_rep = UINT16_MAX;

		sum->blocks++;
		sum->instructions += item->executed;
		for (unsigned k = 0; k < item->executed; k++)
			sum->opaque += item->block->insns[k].flags == TF_INSN_OPAQUE;
		for (unsigned k = 0; k < item->block->n_operands; k++) {
			const struct tf_operand *o = &item->block->operands[k];
			uint64_t n;

			if (o->insn >= item->executed)
				break;
			n = truth_accesses(o, item->values);
			sum->loads += o->access & TF_LOAD ? n : 0;
			sum->stores += o->access & TF_STORE ? n : 0;
			sum->prefetches += o->access & TF_PREFETCH ? n : 0;
			if (o->form == TF_REP && o->insn != last_rep) {
				sum->repetitions += n;
				last_rep = o->insn;
			}
		}
	}
	free(truth.items.at);
}

#endif
