/* SPDX-License-Identifier: MIT */
/* Composes one recording: prepares it, runs the program under a backend, and finishes the trace. */
#include "recorder/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/interrupts.h"
#include "recorder/core/output.h"
#include "recorder/launch/attach.h"
#include "recorder/launch/launch.h"
#include "recorder/launch/natively.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/functions.h"
#include "recorder/program/modules.h"
#include "recorder/ptrace/cpu_model.h"
#include "recorder/ptrace/event_loop.h"
#include "recorder/ptrace/metadata.h"
#include "recorder/ptrace/process.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/vectors.h"
#include "recorder/sampling/sampling.h"
#include "recorder/sampling/spec.h"

enum { EXIT_NOT_RECORDED = 125, CALL_SECONDS = 60, IDLE_SECONDS = 30 };

static const struct backend *const backends[] = { &translate_backend, &step_backend };
enum { N_BACKENDS = sizeof(backends) / sizeof(*backends) };

const char *const *record_backends(void)
{
	static const char *names[N_BACKENDS + 1];

	for (unsigned i = 0; i < N_BACKENDS; i++)
		names[i] = backends[i]->name;
	return names;
}

bool record_sample_check(const char *text, char *message, size_t size)
{
	struct sample_spec spec;

	return sample_spec_parse(text, &spec, message, size);
}

int record_cpu_level(const char *name)
{
	return cpu_model_level(name);
}

const struct record_function *record_default_functions(size_t *count)
{
	return functions_default(count);
}

static int choose_backend(struct session *s)
{
	const char *name = s->options->backend ? s->options->backend : backends[0]->name;

	for (unsigned i = 0; i < N_BACKENDS; i++)
		if (strcmp(backends[i]->name, name) == 0)
			s->backend = backends[i];
	s->loop = &event_loop;
	if (!s->backend)
		return session_fail(s, TF_E_ARGUMENT, "there is no backend %s", name);
	/* A limit on all tasks together can be kept only if tasks run one at a time. */
	s->serial = !s->backend->parallel || s->options->serial || s->options->count ||
		    s->options->max_size || s->options->window.instructions;
	return 0;
}

static int prepare(struct session *s, int *exit_status)
{
	int status;

	if (choose_backend(s) < 0 || cpu_model_check(s) < 0 || sampling_prepare(s) < 0)
		return -1;
	if (!s->options->pid)
		status = launch_check(s, exit_status);
	else
		status = s->options->only_samples ? 0 : attach_check(s);
	if (status < 0 || output_open(s) < 0)
		return -1;
	s->dictionary = dictionary_new(s->options->no_addresses, s->backend->uses_rsp);
	s->modules = modules_new();
	if (!s->dictionary || !s->modules)
		return output_memory(s->output);
	vectors_begin(&s->vectors);
	return functions_new(s) < 0 ? -1 : metadata_write(s);
}

/* Runs the program to its end. */
static int run(struct session *s, int *exit_status)
{
	int status;

	if (s->options->only_samples) {
		status = natively_run(s);
		interrupts_end();
		return s->failed || s->program_runs ? status : launch_failed(s, exit_status);
	}
	if (!s->options->pid && launch(s) < 0)
		return -1;
	schedule_begin(s);
	s->call_seconds = CALL_SECONDS;
	s->started = session_now();
	s->watchdog = (struct watchdog){ .limit = IDLE_SECONDS, .looked = s->started };
	if (s->options->flush_seconds > 0)
		s->next_flush = s->started + s->options->flush_seconds;
	status = s->options->pid ? attach(s) : process_begin(s, s->main_pid);
	if (status == 0 && s->options->pid && s->options->from && !s->from_found)
		session_warn(s, "no module has a symbol or mark %s yet: waiting for one",
			     s->options->from);
	if (event_loop_run(s) < 0)
		status = -1;
	if (sampling_end(s) < 0)
		status = -1;
	if (s->backend->end)
		s->backend->end(s);
	schedule_end(s);
	interrupts_end();
	if (!s->failed && !s->program_runs)
		return launch_failed(s, exit_status);
	return status;
}

static int exit_status_of(const struct session *s)
{
	int status = s->options->pid ? 0 : s->main_status;

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * Warns that no instruction of the region was reached. Returns false if the user asked for no
 * region.
 */
static bool warn_unrecorded(struct session *s)
{
	const struct record_options *o = s->options;

	if (o->from && !s->from_found)
		session_warn(s, "nothing was recorded: no module has a symbol or mark %s", o->from);
	else if (o->skip && s->budget)
		session_warn(s,
			     "nothing was recorded: %llu of the instructions to be skipped were "
			     "still to come",
			     (unsigned long long)s->budget);
	else if (o->from)
		session_warn(s, "nothing was recorded: %s was not reached", o->from);
	else
		return false;
	return true;
}

/* Warns that no task executed anything in the region. Returns false if one did. */
static bool warn_idle(struct session *s)
{
	bool ended = !s->stop_reason || !strcmp(s->stop_reason, "exit");
	struct output_totals totals;

	output_totals(s->output, &totals);
	if (!s->options->pid || totals.executed.instructions)
		return false;
	session_warn(s, "nothing was recorded: process %d %s", (int)s->options->pid,
		     ended ? "ended before it ran"
			   : "did not run; if it is stopped, SIGCONT lets it");
	return true;
}

/* Warns that --to did not end the recording, unless another option or a signal of the user did. */
static void warn_endless(struct session *s)
{
	const struct record_options *o = s->options;

	if (!o->to || !s->windows)
		return;
	if (!s->to_found)
		session_warn(s, "no module has a symbol or mark %s: recorded to the end", o->to);
	else if (!strcmp(s->stop_reason, "exit"))
		session_warn(s, "%s was not reached: recorded to the end", o->to);
}

/* Warns of what the user asked for and the trace lacks. Returns true if nothing was recorded. */
static bool warn_missing(struct session *s)
{
	uint64_t samples, lost;

	sampling_counts(s, &samples, &lost);
	if (lost)
		session_warn(s, "%llu samples were lost; a longer period loses fewer",
			     (unsigned long long)lost);
	if (s->options->only_samples)
		return false;
	functions_warn_missing(s);
	warn_endless(s);
	return s->windows ? warn_idle(s) : warn_unrecorded(s);
}

static int finish(struct session *s)
{
	if (!s->stop_reason)
		s->stop_reason = "exit";
	if (s->ended == 0)
		s->ended = session_now();
	return output_finish(s->output, s->main_status, s->stop_reason);
}

static void add_text(struct tf_error *error, const char *text)
{
	size_t length = strlen(error->text);

	snprintf(error->text + length, sizeof(error->text) - length, "%s", text);
}

/* Adds the program's own end to the error, which otherwise hides it from the caller. */
static void add_end(struct session *s)
{
	int signal = WIFSIGNALED(s->main_status) ? WTERMSIG(s->main_status) : 0;
	char text[64];

	if (s->options->kill_on_error) {
		add_text(&s->error, "; the program was killed");
		return;
	}
	add_text(&s->error, "; the program went on unrecorded");
	if (!s->main_ended)
		return;
	if (signal)
		snprintf(text, sizeof(text), " until signal %d (%s) ended it", signal,
			 strsignal(signal));
	else if (WEXITSTATUS(s->main_status))
		snprintf(text, sizeof(text), " and ended with status %d",
			 WEXITSTATUS(s->main_status));
	else
		return;
	add_text(&s->error, text);
}

static void fill_result(const struct session *s, struct record_result *result)
{
	struct output_totals totals;

	output_totals(s->output, &totals);
	result->instructions = totals.executed.instructions;
	result->blocks = totals.executed.blocks;
	result->paths = totals.executed.paths;
	result->slots = totals.slots;
	result->opaque = totals.executed.opaque;
	result->bytes = totals.bytes;
	sampling_counts(s, &result->samples, &result->samples_lost);
	result->threads = totals.threads;
	result->processes = totals.processes;
	result->steps = s->steps;
	result->stats = s->stats;
	result->static_blocks = dictionary_count(s->dictionary);
	result->seconds = s->ended - s->started;
	result->stop_reason = s->stop_reason;
}

int record_run(const struct record_options *options, struct record_result *result,
	       struct tf_error *error)
{
	struct record_options o = { 0 };
	struct session *s = calloc(1, sizeof(*s));
	int exit_status = EXIT_NOT_RECORDED, status = -1;

	*result = (struct record_result){ .exit_status = EXIT_NOT_RECORDED,
					  .stop_reason = "error" };
	if (!s)
		return TF_E_MEMORY;
	memcpy(&o, options, options->size < sizeof(o) ? options->size : sizeof(o));
	s->options = &o;
	s->vendor = isa_vendor_here();
	pthread_mutex_init(&s->error_lock, NULL);
	s->report_fd = -1;
	s->phase = PHASE_NATIVE;
	if (prepare(s, &exit_status) == 0) {
		status = run(s, &exit_status);
		if (!s->program_runs)
			output_discard(s->output);
		else if (finish(s) == 0 && status == 0)
			exit_status = exit_status_of(s);
		if (s->program_runs) {
			if (warn_missing(s))
				exit_status = EXIT_NOT_RECORDED;
			fill_result(s, result);
		}
	}
	result->exit_status = exit_status;
	if (s->failed && s->program_runs)
		add_end(s);
	status = s->failed ? s->error.status : 0;
	if (error)
		*error = s->error;
	if (s->report_fd >= 0)
		close(s->report_fd);
	free(s->program);
	sampling_free(s->sampling);
	output_free(s->output);
	dictionary_free(s->dictionary);
	functions_free(s->functions);
	modules_free(s->modules);
	free(s);
	return status;
}
