/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/polling.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/interrupts.h"

static const double quiet_seconds = 2e-4; /* seconds without a request after which polling ends */
static const double gap_seconds = 1e-3;   /* a longer gap means that the recorder did not run */
static const double first_pause_seconds = 1e-3, last_pause_seconds = 1;

static const double busy_seconds = 2e-3; /* seconds after which the load is looked up again */

enum { GOOD = 256 }; /* requests served since the last failure, after which it is forgotten */

void poll_set_up(struct session *s, unsigned cpus)
{
	s->polling = (struct polling){ .cpus = cpus,
				       .online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
				       .load = open("/proc/loadavg", O_RDONLY | O_CLOEXEC) };
}

void poll_tear_down(struct session *s)
{
	if (s->polling.load >= 0)
		close(s->polling.load);
	s->polling.load = -1;
}

/* Returns the number of threads of the whole machine that run or could run, or 0. */
static unsigned long runnable(const struct polling *a)
{
	char text[128];
	unsigned long n = 0;
	ssize_t size = pread(a->load, text, sizeof(text) - 1, 0);

	if (size < 0)
		return 0;
	text[size] = 0;
	sscanf(text, "%*s %*s %*s %lu/", &n);
	return n;
}

/* Returns true if more threads could run than there are CPUs. */
static bool machine_is_busy(struct polling *a)
{
	double now = session_now();

	if (now >= a->look_again) {
		a->look_again = now + busy_seconds;
		a->busy = runnable(a) > a->online;
	}
	return a->busy;
}

bool poll_is_possible(struct session *s)
{
	return s->backend->serve && !s->sampling && s->polling.cpus > 1 &&
	       session_now() >= s->polling.paused_until && !machine_is_busy(&s->polling);
}

void poll_begin(struct session *s)
{
	s->polling.until = session_now() + quiet_seconds;
}

bool poll_is_on(const struct session *s)
{
	return session_now() < s->polling.until;
}

bool poll_announce(struct session *s)
{
	bool on = poll_is_on(s);

	s->polling.announced |= on;
	return on;
}

/* Counts a failure. Tasks whose requests fail at the same time are one failure. */
void poll_failed(struct session *s)
{
	struct polling *a = &s->polling;

	if (!poll_is_on(s))
		return;
	a->pause *= 2;
	if (a->pause < first_pause_seconds)
		a->pause = first_pause_seconds;
	if (a->pause > last_pause_seconds)
		a->pause = last_pause_seconds;
	a->paused_until = session_now() + a->pause;
	a->until = 0;
	a->served = 0;
}

static bool serve(struct session *s)
{
	if (!s->backend->serve(s, false))
		return false;
	if (++s->polling.served == GOOD)
		s->polling.pause = 0;
	poll_begin(s);
	return true;
}

/* Looks for requests a few times. Returns true if there was one. */
static bool look(struct session *s)
{
	enum { LOOKS = 128 };
	bool served = false;

	for (unsigned i = 0; i < LOOKS; i++) {
		served |= serve(s);
		__builtin_ia32_pause();
	}
	return served;
}

void poll_fail(struct session *s)
{
	s->polling.failed = true;
}

bool poll_has_failed(const struct session *s)
{
	return s->polling.failed;
}

bool poll_take_failure(struct session *s)
{
	bool failed = s->polling.failed;

	s->polling.failed = false;
	return failed;
}

pid_t poll_tasks(struct session *s, int *status)
{
	pid_t tid = 0;

	while (poll_is_on(s)) {
		double began = session_now();

		tid = waitpid(-1, status, __WALL | WNOHANG);
		if (tid || ticks_came())
			return tid;
		if (!look(s) && session_now() - began > gap_seconds)
			poll_failed(s);
		if (machine_is_busy(&s->polling))
			s->polling.until = 0;
		if (s->polling.failed)
			return 0;
	}
	if (s->polling.announced)
		s->backend->serve(s, true);
	s->polling.announced = false;
	return 0;
}
