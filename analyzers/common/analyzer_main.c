/* SPDX-License-Identifier: MIT */
/* The main function of an analyzer: opens the trace, replays the chosen part, writes the report. */
#include "analyzers/common/analyzer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/chosen.h"
#include "analyzers/common/options.h"
#include "analyzers/common/parts.h"
#include "analyzers/common/replay.h"
#include "analyzers/common/results.h"
#include "analyzers/common/rows.h"
#include "analyzers/common/shared_pass.h"
#include "analyzers/common/warmup.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/loss.h"
#include "cli/common/memory_watch.h"
#include "cli/common/report_join.h"
#include "cli/common/save_file.h"
#include "cli/common/trace_meta.h"
#include "cli/common/http_file.h"
#include "cli/common/trace_input.h"

enum { MAX_JOBS = 256 };

_Static_assert(ANALYZER_DONE == (int)EXIT_DONE && ANALYZER_FAILED == (int)EXIT_FAILED &&
		       ANALYZER_USAGE == (int)EXIT_USAGE &&
		       ANALYZER_UNSUITABLE == (int)EXIT_UNSUITABLE,
	       "all commands have the same exit codes");

/* ---- for analyzers ----------------------------------------------------------------------- */

void analyzer_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	command_message("error: ", format, arguments);
	va_end(arguments);
}

void analyzer_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	command_message("warning: ", format, arguments);
	va_end(arguments);
}

void *analyzer_allocate(size_t count, size_t size)
{
	return checked_array(count, size);
}

/* ---- opening ----------------------------------------------------------------------------- */

static int open_run(struct analysis *run, const char *trace, enum trace_use use)
{
	struct tf_error error;

	/* Loading may find more damage than opening, so damage is reported after it. */
	if (open_trace_input(trace, use, &run->reader, &error) < 0 ||
	    tf_load(run->reader, &error) < 0 || tf_name_called(run->reader, &error) < 0 ||
	    tf_get_info(run->reader, &run->info, &error) < 0) {
		command_error("%s", error.text);
		return EXIT_FAILED;
	}
	note_loss(run->path, &run->info);
	run->n_threads = tf_n_threads(run->reader);
	run->n_processes = tf_n_processes(run->reader);
	return 0;
}

int analyzer_needs_addresses(const struct analysis *run)
{
	if (run->info.has_addresses)
		return 0;
	command_error("%s has no data addresses, which %s needs; %s", run->path,
		      run->analyzer->name, addresses_advice(run->reader));
	return EXIT_UNSUITABLE;
}

/*
 * Refuses a trace without instructions, because zeros would look like a result. Returns 0, or an
 * exit code after a message.
 */
static int check_instructions(const struct analysis *run)
{
	if (!check_recorded(run->path, &run->info))
		return EXIT_FAILED;
	if (run->analyzer->samples || run->info.totals.instructions || !run->info.n_samples ||
	    run->info.n_vectors)
		return 0;
	command_error("%s has only samples, which trace-ibs analyzes; %s needs instructions, "
		      "which trace-record records without --only-samples",
		      run->path, run->analyzer->name);
	return EXIT_UNSUITABLE;
}

/* Refuses a trace that was imported from a format without what the analyzer needs. */
static int check_imported(const struct analysis *run)
{
	unsigned needs = run->analyzer->needs;
	const char *lacking = NULL;

	if (needs & ANALYZER_NEEDS_CODE && lacks_code(run->reader))
		lacking = "code bytes";
	else if (needs & ANALYZER_NEEDS_BRANCHES && lacks_branches(run->reader))
		lacking = "branches";
	if (!lacking)
		return 0;
	command_error("%s has no %s, which %s needs: its instructions were imported from a format "
		      "without them",
		      run->path, lacking, run->analyzer->name);
	return EXIT_UNSUITABLE;
}

bool analyzer_has_vectors(const struct analysis *run)
{
	return has_only_vectors(&run->info);
}

/* Refuses a trace that has vectors only, unless the analyzer and the options take vectors. */
static int check_vectors(const struct analysis *run, const struct settings *settings)
{
	if (!analyzer_has_vectors(run))
		return 0;
	if (!run->analyzer->vector)
		command_error("%s has only basic block vectors, which trace-bbv, trace-mix and "
			      "trace-simpoint read; %s needs executions, which trace-record "
			      "records without --vectors",
			      run->path, run->analyzer->name);
	else if (run->partial || run->has_warmup || settings->interval || makes_rows(run))
		command_error(
			"%s has only basic block vectors; a part of it, --warmup, --interval "
			"and --threads=each need executions, which trace-record records without "
			"--vectors",
			run->path);
	else
		return 0;
	return EXIT_UNSUITABLE;
}

bool analyzer_is_ordered(const struct analysis *run)
{
	return !run->analyzer->unordered || run->in_order;
}

uint32_t analyzer_region(const struct analysis *run, const char *name)
{
	for (uint32_t i = 0; i < tf_n_regions(run->reader); i++) {
		const struct tf_region *region = tf_region(run->reader, i);

		if (region && !strcmp(region->name, name))
			return i;
	}
	return TF_NONE;
}

static int find_region(const struct analysis *run, const char *name, uint32_t *index)
{
	const struct tf_region *first = tf_region(run->reader, 0);

	*index = name ? analyzer_region(run, name) : TF_NONE;
	if (!name || *index != TF_NONE)
		return 0;
	if (first)
		command_error("%s has no region '%s'; its first is '%s'", run->path, name,
			      first->name);
	else
		command_error("%s has no regions", run->path);
	return EXIT_UNSUITABLE;
}

static int find_thread(const struct analysis *run, uint64_t wanted, uint32_t *thread)
{
	*thread = TF_MERGED;
	if (wanted == UINT64_MAX)
		return 0;
	if (!check_thread(run->path, wanted, run->n_threads) ||
	    !check_thread_record(run->path, run->reader, (uint32_t)wanted))
		return EXIT_UNSUITABLE;
	*thread = (uint32_t)wanted;
	return 0;
}

/* ---- results ----------------------------------------------------------------------------- */

/* Reports the trace from which a slice was cut, for trace-extrapolate. */
static void report_slice(const struct analysis *run, struct report *report)
{
	const char *weight = tf_meta(run->reader, "slice.weight");
	const char *parent = tf_meta(run->reader, "slice.parent-instructions");
	const char *interval = tf_meta(run->reader, "slice.interval");

	if (!weight || !parent)
		return;
	report_f64(report, "slice_weight", "", strtod(weight, NULL));
	if (interval)
		report_id(report, "slice_interval", strtoull(interval, NULL, 10));
	report_u64(report, "parent_instructions", "", strtoull(parent, NULL, 10));
}

/*
 * Reports the head of a result. CSV has no head, so that a result of one table is a plain CSV file.
 */
static void report_head(const struct replay *replay, const struct settings *settings,
			uint32_t thread, uint64_t interval)
{
	const struct analysis *run = replay->run;
	const char *command = tf_meta(run->reader, "command.argv");
	bool merged = thread == TF_MERGED && run->n_threads > 1 && !run->each_thread;
	bool ordered = merged && (analyzer_is_ordered(run) || interval);

	if (settings->format == REPORT_CSV)
		return;
	report_string(replay->report, "trace", run->path);
	if (command)
		report_string(replay->report, "command", command);
	report_slice(run, replay->report);
	if (settings->filtered)
		report_string(replay->report, "filtered", "yes");
	if (settings->region)
		report_string(replay->report, "region", settings->region);
	if (settings->process != UINT64_MAX)
		report_id(replay->report, "process", settings->process);
	if (settings->function)
		report_string(replay->report, "function", settings->function);
	if (replay->warmup)
		report_u64(replay->report, "warmup", "instructions", replay->warmup);
	if (ordered)
		report_string(replay->report, "order_of_threads",
			      run->info.order_exact || run->info.n_threads <= 1 ? "exact"
										: "approximate");
}

/* Returns how many instructions are missing from a result that is made of accesses. */
static uint64_t without_accesses(const struct analysis *run)
{
	return run->accesses && !lacks_code(run->reader) ? run->info.totals.opaque : 0;
}

static void report_foot(const struct replay *replay, const struct settings *settings)
{
	bool complete = replay->run->info.complete && !replay->damaged;
	uint64_t opaque = without_accesses(replay->run);

	if (opaque && settings->format != REPORT_CSV)
		report_u64(replay->report, "opaque_in_trace", "", opaque);
	if (settings->format != REPORT_CSV || !complete)
		report_bool(replay->report, "complete", complete);
}

/* Completes a state, if it was merged. */
static int complete(const struct analysis *run, void *state)
{
	return run->merged && run->analyzer->complete ? run->analyzer->complete(state) : 0;
}

/* Makes the state of everything: of several ones if they can be merged. */
static int replay_whole(struct replay *replay, uint32_t thread, void **state)
{
	int status = replay_run(replay, thread, false, state);

	if (!status)
		status = complete(replay->run, *state);
	if (status != ANALYZER_ONE_STATE)
		return status;
	replay_free(replay->run, *state);
	*state = NULL;
	replay->run->one_state = true;
	return replay_run(replay, thread, false, state);
}

/* Makes the state of everything that is analyzed, but not of parts. */
static int whole_state(struct replay *replay, uint32_t thread, void **state)
{
	if (analyzer_has_vectors(replay->run))
		return replay_vectors(replay, thread, state);
	return replay_whole(replay, thread, state);
}

/* Reports how far parts with warm-ups can be trusted. */
static int report_warmups(const struct analysis *run, struct part_state *state,
			  const struct settings *settings, struct report *report)
{
	if (!run->approximate)
		return 0;
	report_bool(report, "approximate", true);
	report_u64(report, "warmup", "instructions", settings->warmup);
	report_u64(report, "warmed_borders", "", state->borders);
	return state->check ? run->analyzer->compare(state->state, state->check, run, report) : 0;
}

/* Merges parts, and reports the result. */
static int run_parts(struct replay *replay, const struct settings *settings, uint32_t thread)
{
	const struct analysis *run = replay->run;
	struct part_state state;
	int status = parts_run(replay, settings, thread, &state);

	if (!status)
		status = parts_exit_code(run, complete(run, state.state));
	if (!status)
		status = run->analyzer->report(state.state, run, replay->report);
	if (!status)
		status = report_warmups(run, &state, settings, replay->report);
	part_state_free(run, &state);
	return status;
}

static int run_whole(struct replay *replay, const struct settings *settings, uint32_t thread)
{
	const struct analysis *run = replay->run;
	void *state = NULL;
	int status;

	if (parts_wanted(settings))
		return run_parts(replay, settings, thread);
	status = whole_state(replay, thread, &state);
	if (!status)
		status = run->analyzer->report(state, run, replay->report);
	replay_free(run, state);
	return status;
}

/* Makes the file of a part, or of several ones, instead of a report. */
static int make_part(struct replay *replay, const struct settings *settings, uint32_t thread)
{
	struct part_state state = { .state = NULL };
	int status = warmup_of_stream(replay, settings, thread);

	if (!status)
		status = parts_run(replay, settings, thread, &state);
	part_state_free(replay->run, &state);
	return status;
}

/* Replays the trace and fills the report, or prints what went wrong. */
static int make_report(struct replay *replay, const struct settings *settings, uint32_t thread)
{
	int status = warmup_of_stream(replay, settings, thread);

	if (status)
		return status;
	report_head(replay, settings, thread, settings->interval);
	if (replay->interval || makes_rows(replay->run))
		status = rows_run(replay, settings, thread);
	else
		status = run_whole(replay, settings, thread);
	report_foot(replay, settings);
	return status;
}

/* Begins the reports of a pass. Rows of intervals go to the one that has them. */
static void begin_reports(struct shared_pass *pass, struct replay *replay,
			  const struct settings *settings, uint32_t thread)
{
	struct report *of_rows = NULL;

	for (unsigned i = 0; i < pass->count; i++) {
		struct pass_result *result = &pass->results[i];

		if (result->left_out)
			continue;
		result->report = report_begin(NULL, REPORT_JSON);
		replay->report = result->report;
		report_head(replay, settings, thread, result->interval);
		if (!result->interval)
			continue;
		of_rows = result->report;
		replay->row_options = result->options;
		report_table(of_rows, "intervals", replay->run->row_columns);
	}
	replay->report = of_rows;
}

static int end_reports(struct shared_pass *pass, struct replay *replay,
		       const struct settings *settings, void *state)
{
	struct analysis run = *replay->run;
	int status = 0;

	for (unsigned i = 0; i < pass->count && !status; i++) {
		struct pass_result *result = &pass->results[i];

		if (result->left_out)
			continue;
		run.options = result->options;
		if (!result->interval)
			status = run.analyzer->report(state, &run, result->report);
		replay->report = result->report;
		report_foot(replay, settings);
	}
	return status;
}

/* Replays the trace once, and fills the reports of all results. */
static int make_reports(struct shared_pass *pass, struct replay *replay,
			const struct settings *settings, uint32_t thread)
{
	void *state = NULL;
	int status = warmup_of_stream(replay, settings, thread);

	if (status)
		return status;
	begin_reports(pass, replay, settings, thread);
	replay->interval = pass->interval;
	if (pass->interval)
		status = replay_run(replay, thread, true, &state);
	else
		status = whole_state(replay, thread, &state);
	if (!status)
		status = end_reports(pass, replay, settings, state);
	replay_free(replay->run, state);
	return status;
}

/* Returns true if the trace is damaged; an unfinished trace need not be. */
static bool is_damaged(const struct replay *replay)
{
	const struct tf_info *info = &replay->run->info;

	return replay->damaged || (info->closed && !info->complete);
}

/*
 * Finds the excluded blocks; *excluded is to be freed. Returns 0 or an exit code, after a
 * message.
 */
static int find_excluded(const struct analysis *run, bool **excluded)
{
	struct tf_error error;

	if (run->info.n_vectors) {
		command_error("%s has vectors, in which excluded code is not told apart",
			      run->path);
		return EXIT_UNSUITABLE;
	}
	if (tf_excluded_blocks(run->reader, excluded, &error) < 0) {
		command_error("%s", error.text);
		return EXIT_FAILED;
	}
	if (*excluded || tf_meta(run->reader, "exclude"))
		return 0;
	command_error("%s: does not say which code synchronizes threads; record it with "
		      "trace-record --exclude=default",
		      run->path);
	return EXIT_UNSUITABLE;
}

/* The result of all traces, and where it goes. */
struct outcome {
	struct results results;
	bool opened;           /* results */
	struct report *report; /* NULL: there is no result */
	struct shared_pass pass;
	bool passed; /* the reports of the pass are the result */
};

/* Writes the result, if there is one. Returns 0 or an exit code, after a message. */
static int end_outcome(struct outcome *outcome, const struct settings *settings)
{
	int status = 0, closed = 0;

	if (outcome->report) {
		status = report_select(outcome->report, settings->tables.table);
		if (!status)
			status = results_write(&outcome->results, outcome->report);
		report_free(outcome->report);
	}
	if (outcome->passed)
		status = shared_pass_write(&outcome->pass, &outcome->results);
	if (outcome->opened)
		closed = results_close(&outcome->results);
	return status ? status : closed;
}

/* Makes the report the result, or adds it to that of several traces. */
static int take_report(struct outcome *outcome, const struct settings *settings,
		       const struct analysis *run, struct report *report)
{
	if (!run->several) {
		outcome->report = report;
		return 0;
	}
	if (!outcome->report)
		outcome->report = report_begin(outcome->results.out, settings->format);
	if (report_is_raw(report)) {
		report_free(report);
		return command_usage_error("profiles and files are made of one trace at a time");
	}
	report_join(outcome->report, "trace", run->path, report);
	report_free(report);
	return 0;
}

/* Replays the trace, and takes the report. */
static int report_trace(struct replay *replay, const struct settings *settings,
			struct outcome *outcome)
{
	const struct analysis *run = replay->run;
	int status = 0;

	if (!outcome->opened) {
		status = results_open(&outcome->results, settings);
		outcome->opened = !status;
	}
	if (status)
		return status;
	if (outcome->pass.count) {
		status = make_reports(&outcome->pass, replay, settings, run->thread);
		outcome->passed = !status;
		return status;
	}
	replay->report = report_begin(outcome->results.out, settings->format);
	status = make_report(replay, settings, run->thread);
	if (!status && !replay->fed && settings->from && settings->count && !settings->region)
		note_beyond(run->reader, run->thread, settings->from);
	if (!status)
		return take_report(outcome, settings, run, replay->report);
	report_free(replay->report);
	return status;
}

static unsigned wanted_jobs(const struct settings *settings)
{
	return settings->jobs < MAX_JOBS ? (unsigned)settings->jobs : MAX_JOBS;
}

static int replay_trace(struct analysis *run, const struct settings *settings,
			struct outcome *outcome)
{
	struct replay replay = {
		.run = run,
		.interval = settings->interval,
		.quiet = settings->quiet,
	};
	bool *excluded = NULL, *left_out = NULL;
	int status = find_thread(run, settings->thread, &run->thread);

	if (!status)
		status = find_region(run, settings->region, &replay.region);
	if (!status && settings->filtered)
		status = find_excluded(run, &excluded);
	if (!status && settings->function)
		status = exclude_other_functions(run, settings->function, &excluded);
	if (!status && settings->process != UINT64_MAX)
		status = threads_of_others(run, settings->process, &left_out);
	if (status) {
		free(excluded);
		free(left_out);
		return status;
	}
	replay.excluded = excluded;
	replay.left_out = left_out;
	chunk_list_init(&replay.chunks, run->reader);
	replay.jobs = chunk_jobs(run->reader, run->info.file_size, wanted_jobs(settings));
	if (settings->partial)
		status = make_part(&replay, settings, run->thread);
	else
		status = report_trace(&replay, settings, outcome);
	chunk_list_free(&replay.chunks);
	free(excluded);
	free(left_out);
	if (!status && (!check_readable(run->path, &run->info) || is_damaged(&replay)))
		status = EXIT_FAILED;
	return status;
}

/* Returns true if the result is CSV in one piece, which is best of one table. */
static bool wants_one_table(const struct settings *settings)
{
	return settings->format == REPORT_CSV && !settings->results && !settings->tables.table &&
	       !results_is_folder(settings);
}

/*
 * Checks that the trace has what the analyzer needs, and lets the analyzer prepare. Returns 0, or
 * an exit code after a message.
 */
static int prepare_run(struct analysis *run, const struct settings *settings,
		       struct outcome *outcome)
{
	const struct analyzer *analyzer = run->analyzer;
	int status = check_instructions(run);

	if (!status)
		status = check_imported(run);
	if (!status)
		status = warmup_begin(run, settings);
	if (!status)
		status = check_vectors(run, settings);
	if (status)
		return status;
	run->jobs = rows_jobs(run, settings);
	shared_pass_begin(&outcome->pass, run);
	if (parts_wanted(settings))
		status = parts_before_prepare(run, settings);
	if (!status && analyzer->prepare)
		status = analyzer->prepare(run);
	if (!status && parts_wanted(settings))
		status = parts_after_prepare(run);
	if (!status && makes_rows(run)) /* prepare may ask for it */
		status = check_vectors(run, settings);
	if (!status && analyzer->columns & TF_ADDRESSES)
		status = analyzer_needs_addresses(run);
	return status;
}

/* Notes accesses that the results lack. */
static void note_unknown(const struct analysis *run)
{
	if (without_accesses(run))
		note_opaque(run->path, &run->info);
	if (run->columns & (TF_ADDRESSES | TF_REPETITIONS | TF_EXTENTS) && !run->sums_repetitions)
		note_repetitions(run->path, &run->info);
}

static int analyze(const struct analyzer *analyzer, const struct settings *settings,
		   const void *own, const char *trace, struct outcome *outcome)
{
	char *shown = is_url(trace) ? shown_url(trace) : NULL;
	bool needs_parts = settings->part.n_parts || settings->merge;
	struct analysis run = {
		.analyzer = analyzer,
		.path = shown ? shown : trace,
		.options = own,
		.jobs = wanted_jobs(settings),
		.batch = settings->results,
		.first = settings->from,
		.share = settings->part.part,
		.n_shares = settings->shares,
		.several = settings->n_traces > 1,
		.one_table = wants_one_table(settings),
		.partial = settings->from || settings->count != UINT64_MAX || settings->region ||
			   settings->filtered || settings->function ||
			   settings->process != UINT64_MAX,
		.columns = analyzer->columns | (analyzer->event ? TF_EVENTS : 0),
		.accesses = analyzer->columns & TF_ADDRESSES,
		.each_thread = settings->threads == THREADS_EACH,
		.each_process = settings->threads == THREADS_PROCESSES,
		.row_columns = analyzer->row_columns,
	};
	int status;

	if (!run.several)
		protect_input(run.path);
	memory_watch_input(run.path);
	status = open_run(&run, trace, needs_parts ? TRACE_PARTS : TRACE_WHOLE);
	if (!status)
		status = prepare_run(&run, settings, outcome);
	if (!status) {
		note_unknown(&run);
		status = replay_trace(&run, settings, outcome);
	}
	if (!run.several) { /* now, because finish frees names of columns */
		int ended = end_outcome(outcome, settings);

		status = status ? status : ended;
	}
	if (analyzer->finish)
		analyzer->finish(&run);
	tf_close(run.reader);
	free(shown);
	return status;
}

/* Analyzes one trace after the other. A trace that fails is left out of the result. */
static int analyze_all(const struct analyzer *analyzer, const struct settings *settings, void *own)
{
	struct outcome outcome = { .report = NULL };
	int status, ended;

	if (settings->n_traces > 1 && (analyzer->writes_files || settings->results))
		return command_usage_error("more than one trace given: '%s' and '%s'",
					   settings->traces[0], settings->traces[1]);
	status = shared_pass_parse(&outcome.pass, settings, own);
	for (size_t i = 0; i < settings->n_traces && status != EXIT_USAGE; i++) {
		int failed = analyze(analyzer, settings, own, settings->traces[i], &outcome);

		status = status && failed != EXIT_USAGE ? status : failed;
	}
	shared_pass_free(&outcome.pass);
	if (settings->n_traces == 1)
		return status;
	ended = end_outcome(&outcome, settings);
	return status ? status : ended;
}

int analyzer_main(const struct analyzer *analyzer, int argc, char **argv)
{
	struct settings settings;
	void *own = checked_array(1, analyzer->options_size + 1);
	int status;

	command_init(analyzer->name);
	status = parse_options(analyzer, argc, argv, &settings, own);
	if (status == OPTION_DONE)
		status = analyze_all(analyzer, &settings, own);
	free(settings.state_options);
	free(own);
	return status;
}
