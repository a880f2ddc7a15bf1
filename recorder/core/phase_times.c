/* SPDX-License-Identifier: MIT */
#include "recorder/core/phase_times.h"

#include <time.h>

static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Adds the time since the last change to the present phase. */
static void add_time(struct session *s)
{
	struct phase_times *p = &s->phase_times;
	struct record_seconds *sum = &s->stats.phases[p->now];
	double elapsed = session_now(), cpu = cpu_now();

	if (p->begun) {
		sum->elapsed += elapsed - p->elapsed;
		sum->cpu += cpu - p->cpu;
	}
	p->begun = true;
	p->elapsed = elapsed;
	p->cpu = cpu;
}

enum record_phase phase_times_begin(struct session *s, enum record_phase phase)
{
	enum record_phase before = s->phase_times.now;

	phase_times_end(s, phase);
	return before;
}

void phase_times_end(struct session *s, enum record_phase before)
{
	if (!s->options->stats || s->phase_times.now == before)
		return;
	add_time(s);
	s->phase_times.now = before;
}
