/* SPDX-License-Identifier: MIT */
#include "cli/import/thread_order.h"

#include "cli/common/checked.h"

static struct thread_run *last_of(struct thread_order *order, uint32_t thread)
{
	struct thread_run *last;

	if (!order->runs.count)
		return NULL;
	last = &order->runs.at[order->runs.count - 1];
	return last->thread == thread ? last : NULL;
}

void thread_order_end(struct thread_order *order, uint32_t thread, uint64_t instructions)
{
	struct thread_run *last = last_of(order, thread);

	if (last)
		last->count = instructions - last->ordinal;
}

void thread_order_begin(struct thread_order *order, uint32_t thread, uint64_t time,
			uint64_t ordinal)
{
	struct thread_run *last = last_of(order, thread);

	if (last && last->ordinal == ordinal) {
		last->time = time;
		return;
	}
	thread_order_end(order, thread, ordinal);
	CHECKED_RESERVE(order->runs, order->runs.count + 1);
	order->runs.at[order->runs.count++] = (struct thread_run){ .time = time,
								   .ordinal = ordinal,
								   .thread = thread };
}

static int compare(const void *a, const void *b)
{
	const struct thread_run *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

void thread_order_write(struct thread_order *order, struct code_table *code)
{
	struct thread_run *runs = order->runs.at;
	struct tf_error error;

	if (order->runs.count)
		qsort(runs, order->runs.count, sizeof(*runs), compare);
	for (size_t i = 0; i < order->runs.count;) {
		uint32_t thread = runs[i].thread;
		uint64_t count = 0;

		for (; i < order->runs.count && runs[i].thread == thread; i++)
			count += runs[i].count;
		if (count &&
		    !code_check(code, tf_writer_schedule(code->writer, thread, count, &error),
				&error))
			break;
	}
	free(order->runs.at);
	*order = (struct thread_order){ 0 };
}
