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
#include "recorder/core/intervals.h"
#include "recorder/core/vector_summary.h"
#include "recorder/core/loop_heads.h"
#include "recorder/core/output.h"
#include "recorder/core/phase_times.h"
#include "recorder/core/points.h"
#include "recorder/core/region.h"
#include "recorder/launch/attach.h"
#include "recorder/launch/launch.h"
#include "recorder/launch/natively.h"
#include "recorder/program/dictionary.h"
#include "recorder/program/excluded_code.h"
#include "recorder/program/exclusion_rules.h"
#include "recorder/program/functions.h"
#include "recorder/program/modules.h"
#include "recorder/ptrace/cpu_model.h"
#include "recorder/ptrace/event_loop.h"
#include "recorder/ptrace/metadata.h"
#include "recorder/ptrace/process.h"
#include "recorder/ptrace/schedule.h"
#include "recorder/ptrace/extended_state.h"
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

void record_windows_free(struct record_windows *w)
{
	free(w->at);
	free(w->executions);
	free(w->slices);
	free(w->excluded);
	free(w->check.counts);
	*w = (struct record_windows){ 0 };
}

void record_clusters_free(struct record_clusters *c)
{
	free(c->at);
	free(c->intervals);
	*c = (struct record_clusters){ 0 };
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
	if (s->options->boundary == BOUNDARY_LOOP && !s->backend->arm)
		return session_fail(s, TF_E_ARGUMENT, "--boundary=loop needs --backend=translate");
	/* A limit on all tasks together can be kept only if tasks run one at a time. */
	s->schedule.serial = !s->backend->parallel || s->options->serial || s->options->count ||
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
	s->code.dictionary = dictionary_new(s->options->no_addresses, s->backend->uses_rsp,
					    s->options->interval != 0);
	s->code.modules = modules_new();
	if (!s->code.dictionary || !s->code.modules)
		return output_memory(s->output);
	vectors_begin(&s->processor.vectors);
	return points_begin(s) < 0 || intervals_begin(s) < 0 || loop_heads_begin(s) < 0 ||
			       exclusion_rules_begin(s) < 0 || functions_new(s) < 0
		       ? -1
		       : metadata_write(s);
}

/* Runs the program to its end. */
static int run(struct session *s, int *exit_status)
{
	int status;

	if (s->options->only_samples) {
		status = natively_run(s);
		interrupts_end();
		return s->error.is_set || s->main.executed ? status : launch_failed(s, exit_status);
	}
	if (!s->options->pid && launch(s) < 0)
		return -1;
	schedule_begin(s);
	phase_times_begin(s, RECORD_RUN);
	region_start_clock(s);
	s->watchdog = (struct watchdog){ .limit = IDLE_SECONDS,
					 .call_limit = CALL_SECONDS,
					 .looked = session_now() };
	status = s->options->pid ? attach(s) : process_begin(s, s->main.pid);
	if (status == 0 && s->options->pid && s->options->from && !s->code.from_found)
		session_warn(s, "no module has a symbol or mark %s yet: waiting for one",
			     s->options->from);
	if (event_loop_run(s) < 0)
		status = -1;
	phase_times_begin(s, RECORD_EXIT);
	if (sampling_end(s) < 0)
		status = -1;
	if (s->backend->end)
		s->backend->end(s);
	schedule_end(s);
	interrupts_end();
	if (!s->error.is_set && !s->main.executed)
		return launch_failed(s, exit_status);
	return status;
}

static int exit_status_of(const struct session *s)
{
	int status = s->options->pid ? 0 : s->main.status;

	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * Warns that no instruction of the region was reached. Returns false if the user asked for no
 * region.
 */
static bool warn_unrecorded(struct session *s)
{
	const struct record_options *o = s->options;

	if (o->from && !s->code.from_found)
		session_warn(s, "nothing was recorded: no module has a symbol or mark %s%s",
			     o->from,
			     strncmp(o->from, "ssc:", 4) != 0 ? "; --skip=N begins without symbols"
							      : "");
	else if (o->skip && region_left(s))
		session_warn(s,
			     "nothing was recorded: the program ended %llu instructions before the "
			     "end of --skip",
			     (unsigned long long)region_left(s));
	else if (o->from)
		session_warn(s, "nothing was recorded: %s was not reached", o->from);
	else
		return false;
	return true;
}

static uint64_t instructions_of(struct session *s)
{
	struct output_totals totals;

	output_totals(s->output, &totals);
	return s->options->interval ? intervals_instructions(s) : totals.executed.instructions;
}

/*
 * Warns that no task executed anything while the recorder recorded. Returns false if one did, and
 * for slices, of which the command reports the missing ones.
 */
static bool warn_idle(struct session *s)
{
	bool ended = !strcmp(region_stop_reason(s), "exit");

	if (s->points || instructions_of(s) || s->error.is_set)
		return false;
	if (s->options->pid)
		session_warn(s, "nothing was recorded: process %d %s", (int)s->options->pid,
			     ended ? "ended before it ran"
				   : "did not run; if it is stopped, SIGCONT lets it");
	else
		session_warn(s, "nothing was recorded: the program %s",
			     ended ? "ended before it executed an instruction"
				   : "executed nothing before the recording ended");
	return true;
}

/* Warns that --to did not end the recording, unless another option or a signal of the user did. */
static void warn_endless(struct session *s)
{
	const struct record_options *o = s->options;

	if (!o->to || !region_is_entered(s))
		return;
	if (!s->code.to_found)
		session_warn(s, "no module has a symbol or mark %s: recorded to the end", o->to);
	else if (!strcmp(region_stop_reason(s), "exit"))
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
	return (!region_is_entered(s) && warn_unrecorded(s)) || warn_idle(s);
}

static int finish(struct session *s)
{
	return intervals_end(s) < 0 || exclusion_rules_end(s) < 0 || excluded_code_write(s) < 0
		       ? -1
		       : output_finish(s->output, s->main.status, region_stop_reason(s));
}

static void add_text(struct tf_error *error, const char *text)
{
	size_t length = strlen(error->text);

	snprintf(error->text + length, sizeof(error->text) - length, "%s", text);
}

/* Adds the program's own end to the error, which otherwise hides it from the caller. */
static void add_end(struct session *s)
{
	int signal = WIFSIGNALED(s->main.status) ? WTERMSIG(s->main.status) : 0;
	char text[64];

	if (s->options->kill_on_error) {
		add_text(&s->error.first, "; the program was killed");
		return;
	}
	add_text(&s->error.first, "; the program went on unrecorded");
	if (!s->main.ended)
		return;
	if (signal)
		snprintf(text, sizeof(text), " until signal %d (%s) ended it", signal,
			 strsignal(signal));
	else if (WEXITSTATUS(s->main.status))
		snprintf(text, sizeof(text), " and ended with status %d",
			 WEXITSTATUS(s->main.status));
	else
		return;
	add_text(&s->error.first, text);
}

static void fill_result(struct session *s, struct record_result *result)
{
	struct output_totals totals;

	output_totals(s->output, &totals);
	points_take_windows(s, &result->windows);
	points_take_clusters(s, &result->clusters);
	result->instructions = instructions_of(s);
	result->blocks = totals.executed.blocks;
	result->paths = totals.executed.paths;
	result->slots = totals.slots;
	result->opaque = totals.executed.opaque;
	result->bytes = totals.bytes;
	sampling_counts(s, &result->samples, &result->samples_lost);
	result->threads = totals.threads;
	result->processes = totals.processes;
	result->steps = s->tasks.resumes;
	result->stats = s->stats;
	result->static_blocks = dictionary_count(s->code.dictionary);
	result->stop_reason = region_stop_reason(s);
	result->seconds = region_seconds(s);
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
	o.no_addresses |= o.interval != 0;
	o.serial |= o.online.interval != 0; /* the end of a window is one of all tasks */
	s->options = &o;
	phase_times_begin(s, RECORD_LAUNCH);
	s->processor.vendor = isa_vendor_here();
	pthread_mutex_init(&s->error.lock, NULL);
	s->main.report_fd = -1;
	write_signals_ignore();
	if (prepare(s, &exit_status) == 0) {
		status = run(s, &exit_status);
		if (!s->main.executed)
			output_discard(s->output);
		else if (finish(s) == 0 && status == 0)
			exit_status = exit_status_of(s);
		if (s->main.executed) {
			if (warn_missing(s))
				exit_status = EXIT_NOT_RECORDED;
			fill_result(s, result);
		}
	}
	result->exit_status = exit_status;
	if (s->error.is_set && s->main.executed)
		add_end(s);
	status = s->error.is_set ? s->error.first.status : 0;
	if (error)
		*error = s->error.first;
	if (s->main.report_fd >= 0)
		close(s->main.report_fd);
	free(s->main.filename);
	sampling_free(s->sampling);
	output_free(s->output);
	write_signals_restore();
	intervals_free(s->intervals);
	points_end(s->points);
	vector_summary_free(s->vector_summary);
	loop_heads_free(s->loop_heads);
	dictionary_free(s->code.dictionary);
	functions_free(s->code.functions);
	exclusion_rules_free(s->code.exclusions);
	modules_free(s->code.modules);
	phase_times_begin(s, RECORD_RUN); /* adds the time of the exit */
	memcpy(result->stats.phases, s->stats.phases, sizeof(s->stats.phases));
	free(s);
	return status;
}
