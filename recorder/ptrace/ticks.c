/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/ticks.h"

#include <signal.h>
#include <sys/time.h>

enum { TICK_US = 100000, LEAST_TICK_US = 1000, SOON_US = 250 };

static volatile sig_atomic_t ticked;
static struct sigaction inherited;
static int interval_us; /* between two ticks; 0: the timer is off */

static void on_tick(int signal)
{
	(void)signal;
	ticked = 1;
}

bool ticks_came(void)
{
	return ticked;
}

bool ticks_take(void)
{
	bool came = ticked;

	ticked = 0;
	return came;
}

/* Returns the time between two ticks: some ticks are in each window and between two windows. */
static int tick_us(const struct record_options *o)
{
	enum { TICKS = 4 };
	double shortest = (double)TICK_US * TICKS / 1e6;

	if (o->period.seconds > 0 && o->period.seconds < shortest)
		shortest = o->period.seconds;
	if (o->window.seconds > 0 && o->window.seconds < shortest)
		shortest = o->window.seconds;
	shortest *= 1e6 / TICKS;
	return shortest > LEAST_TICK_US ? (int)shortest : LEAST_TICK_US;
}

static void set_interval(int us)
{
	const struct timeval interval = { .tv_usec = us };
	const struct itimerval timer = { .it_interval = interval, .it_value = interval };

	if (interval_us != us)
		setitimer(ITIMER_REAL, &timer, NULL);
	interval_us = us;
}

void ticks_soon(void)
{
	set_interval(SOON_US);
}

void ticks_normally(const struct record_options *options)
{
	set_interval(tick_us(options));
}

void ticks_begin(const struct record_options *options)
{
	/* SA_RESTART is not set, so that a tick ends waitpid. */
	const struct sigaction action = { .sa_handler = on_tick };

	sigaction(SIGALRM, &action, &inherited);
	ticks_normally(options);
}

void ticks_end(void)
{
	set_interval(0);
	sigaction(SIGALRM, &inherited, NULL);
}
