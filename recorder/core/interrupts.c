/* SPDX-License-Identifier: MIT */
#include "recorder/core/interrupts.h"

#include <errno.h>
#include <signal.h>

static const int handled[] = { SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ, SIGTERM, SIGHUP };
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
