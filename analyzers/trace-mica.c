/* SPDX-License-Identifier: MIT */
/*
 * trace-mica - MICA's analyses as its configuration file asks for them, in one pass over a trace,
 * and its output files byte for byte.
 *
 * A run of MICA is a process. The threads of a process are one sequence, in the order in which they
 * were recorded; or each is taken for a process, with its id for the pid.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analyzers/common/analyzer.h"
#include "analyzers/mica/expand.h"
#include "analyzers/mica/latencies.h"
#include "analyzers/mica/program.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/option_parsers.h"

struct options {
	const char *config; /* NULL: default_config, if that file exists */
	const char *directory, *latencies;
	unsigned dialect;
	bool each_thread;
	bool exact_intervals, fold, flags, cet, byte_dependences;
};
static const struct options defaults = { .directory = "." };
static const char default_config[] = "mica.conf";

/* The results of prepare. */
struct shared {
	struct mica_code code;
	struct mica_extensions extensions;
	uint32_t *latencies;
	struct mica_plan plan;
};

struct runner {
	struct mica_expander expander;
	struct mica_program program;
};

struct state {
	const struct analysis *run;
	struct mica_team *team; /* NULL with one job */
	bool warms_up;          /* what executes now does not count */
	uint32_t n_runners;
	struct runner **runners; /* by process or thread; NULL: it has executed nothing so far */
};

/* ---- before the pass --------------------------------------------------------------------- */

/* Returns the number of runs of MICA that a trace stands for. */
static uint32_t count_runs(const struct analysis *run)
{
	const struct options *options = run->options;

	return options->each_thread ? run->n_threads : run->n_processes;
}

/* Refuses several runs without pids in the file names: all would write the same files. */
static int check_names(const struct analysis *run, const char *path,
		       const struct mica_config *config)
{
	const struct options *options = run->options;
	uint32_t count = count_runs(run);

	if (config->append_pid || count <= 1)
		return 0;
	command_error("%s has %u %s, whose files would have the same names: set 'append_pid: yes' "
		      "in %s",
		      run->path, count, options->each_thread ? "threads" : "processes", path);
	return EXIT_UNSUITABLE;
}

/*
 * Returns true if the default configuration is used: MICA demands a file, but trace-analyze --all
 * has none.
 */
static bool use_default(const struct analysis *run, struct mica_config *config)
{
	const struct options *options = run->options;

	command_note("no %s here: all analyses of the whole program are made, as with "
		     "'analysis_type: all' and 'interval_size: full'",
		     default_config);
	return mica_config_default(options->dialect, count_runs(run) > 1, config);
}

static int read_config(const struct analysis *run, struct mica_config *config)
{
	const struct options *options = run->options;
	const char *path = options->config ? options->config : default_config;
	bool built_in = !options->config && access(path, F_OK) < 0 && errno == ENOENT;
	int status;

	if (!(built_in ? use_default(run, config)
		       : mica_config_read(path, options->dialect, config)))
		return EXIT_FAILED;
	status = mica_needs_addresses(config) ? analyzer_needs_addresses(run) : 0;
	return status ? status : check_names(run, path, config);
}

/* Drops transactions, which are not branches to MICA 1.0. */
static void drop_transactions(struct mica_code *code)
{
	for (uint32_t i = 0; i < code->numbers.insns; i++) {
		struct isa_facts *facts = &code->insns[i].facts;

		if (!strcmp(facts->iclass, "XBEGIN") || !strcmp(facts->iclass, "XEND"))
			facts->conditional = false;
	}
}

static int read_code(const struct analysis *run, struct shared *shared)
{
	const struct options *options = run->options;
	unsigned dependences = (options->fold ? MICA_FOLDED : 0) |
			       (options->flags ? MICA_WITH_FLAGS : 0) |
			       (options->cet ? MICA_WITH_CET : 0);

	mica_code_init(&shared->code, run->reader, dependences);
	if (options->dialect == MICA_BOEGEL)
		drop_transactions(&shared->code);
	if (options->latencies) {
		shared->latencies = mica_read_latencies(options->latencies, &shared->code);
		if (!shared->latencies)
			return EXIT_FAILED;
	}
	shared->extensions = (struct mica_extensions){
		.exact_intervals = options->exact_intervals,
		.warms_up = run->warms_up,
		.byte_dependences = options->byte_dependences,
		.latencies = shared->latencies,
	};
	return 0;
}

static int prepare(struct analysis *run)
{
	const struct options *options = run->options;
	struct shared *shared = checked_array(1, sizeof(*shared));
	struct mica_config config;
	int status;

	run->shared = shared;
	status = read_config(run, &config);
	if (!status)
		status = read_code(run, shared);
	if (status) {
		mica_config_free(&config);
		return status;
	}
	run->columns |= mica_needs_addresses(&config) || run->partial || run->has_warmup
				? TF_ADDRESSES
				: TF_REPETITIONS;
	run->accesses = true;
	return mica_plan_make(&shared->plan, &config, options->dialect, &shared->code.numbers,
			      &shared->extensions)
		       ? 0
		       : EXIT_FAILED;
}

static void finish(struct analysis *run)
{
	struct shared *shared = run->shared;

	if (!shared)
		return;
	mica_plan_free(&shared->plan);
	mica_code_free(&shared->code);
	free(shared->latencies);
	free(shared);
}

/* ---- the pass ---------------------------------------------------------------------------- */

/* Records of processes may be lost; theirs is the last runner. */
static uint32_t runner_of(const struct state *state, uint32_t thread)
{
	const struct options *options = state->run->options;
	uint32_t process = tf_thread(state->run->reader, thread)->process;

	if (options->each_thread)
		return thread;
	return process < state->run->n_processes ? process : state->run->n_processes;
}

/* Returns the number that stands for the pid in the names of files; 0: none. */
static uint32_t pid_of(const struct state *state, uint32_t thread)
{
	const struct shared *shared = state->run->shared;
	const struct options *options = state->run->options;
	const struct tf_thread *record = tf_thread(state->run->reader, thread);
	const struct tf_process *process = tf_process(state->run->reader, record->process);

	if (!shared->plan.config.append_pid)
		return 0;
	if (options->each_thread || !process)
		return record->tid;
	return process->pid;
}

static int start_runner(struct state *state, uint32_t index, uint32_t pid)
{
	const struct options *options = state->run->options;
	struct shared *shared = state->run->shared;
	struct runner *runner = checked_array(1, sizeof(*runner));

	state->runners[index] = runner;
	runner->expander.code = &shared->code;
	runner->expander.consume = mica_program_feed;
	runner->expander.opaque = &runner->program;
	if (!mica_program_start(&runner->program, &shared->plan, state->team, options->directory,
				pid))
		return EXIT_FAILED;
	if (state->warms_up)
		mica_program_begin_warmup(&runner->program);
	if (mica_program_takes_superblocks(&runner->program))
		runner->expander.superblock = mica_program_superblock;
	return 0;
}

static int start(void *self, const struct analysis *run)
{
	const struct options *options = run->options;
	struct state *state = self;

	state->run = run;
	state->warms_up = run->warms_up;
	state->team = run->jobs > 1 ? mica_team_new(run->jobs) : NULL;
	state->n_runners = (options->each_thread ? run->n_threads : run->n_processes) + 1;
	state->runners = checked_array(state->n_runners, sizeof(*state->runners));
	return 0;
}

static void stop(void *self)
{
	struct state *state = self;

	for (uint32_t i = 0; i < state->n_runners; i++)
		if (state->runners[i]) {
			mica_program_stop(&state->runners[i]->program);
			free(state->runners[i]);
		}
	mica_team_free(state->team);
	free(state->runners);
}

static int items(void *self, const struct tf_item *item)
{
	struct state *state = self;
	uint32_t index = runner_of(state, item->thread);

	if (!state->runners[index]) {
		int status = start_runner(state, index, pid_of(state, item->thread));

		if (status)
			return status;
	}
	mica_expand(&state->runners[index]->expander, item);
	return 0;
}

static void clear(void *self)
{
	struct state *state = self;

	state->warms_up = false;
	for (uint32_t i = 0; i < state->n_runners; i++)
		if (state->runners[i])
			mica_program_end_warmup(&state->runners[i]->program);
}

/* ---- after the pass ---------------------------------------------------------------------- */

static int write_log(const char *directory, const char *text)
{
	char *path = text_format("%s/mica.log", directory);
	struct save_file *file = save_file_begin(path);
	int status = EXIT_FAILED;

	if (file) {
		fputs(text, save_file_stream(file));
		status = save_file_end(file);
	}
	free(path);
	return status;
}

static int report(void *self, const struct analysis *run, struct report *report)
{
	static const struct report_column columns[] = {
		{ "file", REPORT_STRING, "" },
		{ "mica_instructions", REPORT_U64, "" },
		{ "executions", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	const struct shared *shared = run->shared;
	const struct options *options = run->options;
	struct state *state = self;
	int status = write_log(options->directory, shared->plan.config.log);

	mica_define_counts(report);
	report_table(report, "files", columns);
	for (uint32_t i = 0; i < state->n_runners; i++) {
		if (!state->runners[i])
			continue;
		struct mica_program *program = &state->runners[i]->program;

		status |= mica_program_end(program);
		for (unsigned f = 0; f < shared->plan.n_files; f++)
			report_row(report, program->outputs[f].path,
				   program->runs[0].total.instructions,
				   program->runs[0].total.executions);
	}
	return status;
}

#define OPTION(name, letter, argument, help, parse, member)                           \
	{                                                                             \
		name, letter, argument, help, parse, offsetof(struct options, member) \
	}

static const struct command_option options[] = {
	OPTION("config", 'c', "FILE", "configuration (default mica.conf)", analyzer_option_text,
	       config),
	OPTION("directory", 'd', "DIR", "write MICA's files into DIR (default .)",
	       analyzer_option_text, directory),
	OPTION("dialect", 0, "cheramy|0.40|0.40rel|boegel", "version of MICA (default cheramy)",
	       analyzer_option_choice, dialect),
	OPTION("threads", 0, "merged|each", "files for all threads of a process, or for each",
	       option_second, each_thread),
	OPTION("exact-intervals", 0, NULL, NULL, analyzer_option_flag, exact_intervals),
	OPTION("cet", 0, NULL, NULL, analyzer_option_flag, cet),
	OPTION("fold-registers", 0, NULL, NULL, analyzer_option_flag, fold),
	OPTION("flags", 0, NULL, NULL, analyzer_option_flag, flags),
	OPTION("byte-dependences", 0, NULL, NULL, analyzer_option_flag, byte_dependences),
	OPTION("latency", 0, "FILE", NULL, analyzer_option_text, latencies),
	{ 0 },
};

static const struct analyzer analyzer = {
	.name = "trace-mica",
	.summary = "run the analyses of a mica.conf, and write MICA's output files",
	.example = "trace-mica --config=mica.conf --directory=results ls.trace",
	.needs = ANALYZER_NEEDS_CODE,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(struct options),
	.writes_files = true,
	.state_size = sizeof(struct state),
	.prepare = prepare,
	.finish = finish,
	.start = start,
	.stop = stop,
	.paths = items,
	.blocks = items,
	.path_addresses = true,
	.clear = clear,
	.report = report,
};
ANALYZER_MAIN(analyzer)
