/* SPDX-License-Identifier: MIT */
#include "recorder/translate/thread/thread.h"

#include "recorder/core/task.h"

static struct progress_seen look(const struct context *c)
{
	struct progress_seen now = { .record = __atomic_load_n(&c->record, __ATOMIC_RELAXED) };

	for (unsigned i = 0; i < CONTEXT_COUNTERS; i++)
		now.remaining += __atomic_load_n(&c->remaining[i], __ATOMIC_RELAXED);
	return now;
}

void thread_watch_progress(struct task *t)
{
	thread_of(t)->seen = look(thread_of(t)->context);
}

void thread_note_progress(struct task *t)
{
	struct progress_seen *seen = &thread_of(t)->seen, now = look(thread_of(t)->context);

	t->progress += now.record != seen->record || now.remaining != seen->remaining;
	*seen = now;
}

uint32_t exit_counters_at(const struct task *t)
{
	return t->session->intervals ? (uint32_t)area_exit_counters() : 0;
}

uint32_t *exit_counters_of(const struct task *t)
{
	const struct thread *th = t->translate ? thread_of(t) : NULL;

	return t->session->intervals && th && th->area
		       ? (uint32_t *)(th->area->memory.local + area_exit_counters())
		       : NULL;
}
