/* SPDX-License-Identifier: MIT */
#include "recorder/translate/thread/exit_counters.h"

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
