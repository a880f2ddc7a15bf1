/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <stdlib.h>

#include "tests/unit/traces/trace_truth.h"
#include "traceformat/tracewriter.h"

static void truth_block(struct truth *truth, const struct truth_item *block, enum tf_view view)
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

static void truth_exec(struct truth *truth, const struct random_trace *t, uint32_t thread,
		       const struct random_exec *e, enum tf_view view)
{
	const struct tf_path *p = &t->paths.at[e->path];
	struct truth_item item = {
		.thread = thread,
		.ordinal = e->first,
		.executed = e->executed,
		.exec = e,
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
		if (left || (e->partial && item.executed == b->n_insns && i + 1 < p->n_blocks))
			item.outcome = t->blocks.at[p->blocks[i + 1]].pc != b->pc + b->code_size ||
						       (b->end >= TF_END_JUMP &&
							b->end <= TF_END_RETURN)
					       ? TF_TAKEN
					       : TF_NOT_TAKEN;
		else
			item.outcome = e->partial ? TF_PARTIAL
						  : p->exits[e->exit - p->first_exit].outcome;
		truth_block(truth, &item, view);
		item.ordinal += item.executed;
		values += b->n_values;
	}
}

/* Puts the events of a thread in front of the executions that contain their ordinals. */
static void truth_add_events(struct truth *truth, const struct random_stream *s)
{
	struct truth merged = { 0 };
	size_t next = 0;

	for (size_t i = 0; i <= truth->items.count; i++) {
		const struct truth_item *item = i < truth->items.count ? &truth->items.at[i] : NULL;

		while (next < s->events.count &&
		       (!item || s->events.at[next].ordinal < item->ordinal + item->executed)) {
			const struct tf_event *e = &s->events.at[next++];

			PUSH(&merged.items, (struct truth_item){ .event = e,
								 .thread = e->thread,
								 .ordinal = e->ordinal });
		}
		if (item)
			PUSH(&merged.items, *item);
	}
	free(truth->items.at);
	*truth = merged;
}

struct truth truth_thread(const struct random_trace *t, uint32_t thread, enum tf_view view,
			  unsigned columns)
{
	const struct random_stream *s = &t->streams[thread];
	struct truth truth = { 0 };

	for (size_t i = 0; i < s->execs.count; i++)
		truth_exec(&truth, t, thread, &s->execs.at[i], view);
	if (columns & TF_EVENTS)
		truth_add_events(&truth, s);
	return truth;
}

static bool truth_closing(const struct truth_item *item, uint64_t reached)
{
	return item->event && item->ordinal == reached &&
	       (item->event->kind == TF_EVENT_SYSCALL ||
		item->event->kind == TF_EVENT_THREAD_EXIT ||
		item->event->kind == TF_EVENT_PROCESS_EXIT);
}

struct truth truth_merged(const struct random_trace *t, enum tf_view view, unsigned columns)
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
		       truth_closing(&from->items.at[next[i]], reached[i]);
		     next[i]++)
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

void truth_range(const struct truth *truth, uint64_t first, uint64_t count, size_t *from,
		 size_t *to)
{
	uint64_t step = 0, stop = count > UINT64_MAX - first ? UINT64_MAX : first + count;
	size_t n = truth->items.count, i = 0;

	for (; i < n && step + truth->items.at[i].executed <= first; i++)
		step += truth->items.at[i].executed;
	if (step < first && i == n) { /* behind the end */
		*from = *to = n;
		return;
	}
	*from = i;
	if (step == first) /* the events in front of it belong to it */
		while (*from && truth->items.at[*from - 1].event)
			--*from;
	else /* it is entered midway; events inside it that are behind come too */
		while (*from && truth->items.at[*from - 1].event &&
		       truth->items.at[*from - 1].ordinal >=
			       truth->items.at[i].ordinal + first - step &&
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
