/* SPDX-License-Identifier: MIT */
#include "recorder/core/interrupts.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>

static const int handled[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
enum { N_HANDLED = sizeof(handled) / sizeof(*handled) };

static struct sigaction inherited[N_HANDLED];
static volatile pid_t program;
static volatile sig_atomic_t asked;

static void pass_on(int signal)
{
	int saved = errno;

	if (program > 0)
		kill(program, signal);
	errno = saved;
}

static void ask(int signal)
{
	(void)signal;
	asked = 1;
}

static void set(int signal, bool attached, const struct sigaction *before)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	if (attached && (signal == SIGINT || signal == SIGTERM || signal == SIGHUP)) {
		action.sa_handler = ask; /* no SA_RESTART: the signal shall interrupt waitpid */
	} else if (signal == SIGTERM || signal == SIGHUP) {
		action.sa_handler = pass_on;
		action.sa_flags = SA_RESTART;
	}
	/*
	 * Signals that the recorder was started to ignore (nohup) stay ignored, by the program as
	 * well. SIGINT is excepted with --pid: shells start background jobs with SIGINT ignored,
	 * and it is the way to end the recording.
	 */
	if (before->sa_handler != SIG_IGN || (attached && signal == SIGINT))
		sigaction(signal, &action, NULL);
}

void interrupts_begin(bool attached)
{
	asked = 0;
	for (unsigned i = 0; i < N_HANDLED; i++) {
		sigaction(handled[i], NULL, &inherited[i]);
		set(handled[i], attached, &inherited[i]);
	}
}

void interrupts_pass_to(pid_t pid)
{
	program = pid;
}

bool interrupts_asked(void)
{
	return asked;
}

void interrupts_end(void)
{
	program = 0;
	for (unsigned i = 0; i < N_HANDLED; i++)
		sigaction(handled[i], &inherited[i], NULL);
}

/* ---- signals of writes ---- */

static const int of_writes[] = { SIGPIPE, SIGXFSZ };
enum { N_OF_WRITES = sizeof(of_writes) / sizeof(*of_writes) };

static struct sigaction inherited_of_writes[N_OF_WRITES];

void write_signals_ignore(void)
{
	static const struct sigaction ignored = { .sa_handler = SIG_IGN };

	for (unsigned i = 0; i < N_OF_WRITES; i++)
		sigaction(of_writes[i], &ignored, &inherited_of_writes[i]);
}

void write_signals_restore(void)
{
	for (unsigned i = 0; i < N_OF_WRITES; i++)
		sigaction(of_writes[i], &inherited_of_writes[i], NULL);
}

/* ---- ticks ---- */

enum { TICK_US = 100000, LEAST_TICK_US = 1000, SOON_US = 250 };

static volatile sig_atomic_t ticked;
static struct sigaction inherited_alarm;
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
	static const double POINTS_SECONDS = 0.016; /* several million recorded instructions */
	double shortest = (double)TICK_US * TICKS / 1e6;

	if (o->period.seconds > 0 && o->period.seconds < shortest)
		shortest = o->period.seconds;
	if (o->window.seconds > 0 && o->window.seconds < shortest)
		shortest = o->window.seconds;
	if (o->n_slices)
		shortest = POINTS_SECONDS;
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

	sigaction(SIGALRM, &action, &inherited_alarm);
	ticks_normally(options);
}

void ticks_end(void)
{
	set_interval(0);
	sigaction(SIGALRM, &inherited_alarm, NULL);
}
