/* SPDX-License-Identifier: MIT */
#include "cli/record/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/record/cache_folder.h"

/* ---- values ------------------------------------------------------------------------------ */

OPTION_PARSER(parse_level)
{
	enum { MAX_LEVEL = 22 };
	uint64_t level;
	const char *wrong = parse_count_within(text, 0, MAX_LEVEL, &level);

	if (!wrong)
		*(int *)destination = level ? (int)level : LEVEL_FASTEST;
	return wrong;
}

OPTION_PARSER(parse_chunk)
{
	enum { MAX_CHUNK = 1 << 26 };

	return parse_count_within(text, 1, MAX_CHUNK, destination);
}

OPTION_PARSER(parse_interval)
{
	enum { LEAST_INTERVAL = 10000 };

	return parse_count_within(text, LEAST_INTERVAL, INT64_MAX, destination);
}

OPTION_PARSER(parse_radius)
{
	double *radius = destination;

	return parse_fraction(text, radius) && *radius > 0 && *radius < 1
		       ? NULL
		       : "a share above 0 and below 1, such as 20% or 0.2, is expected";
}

OPTION_PARSER(parse_max_k)
{
	uint64_t most;
	const char *wrong = parse_count_within(text, 1, ONLINE_MAX_K, &most);

	if (!wrong)
		*(uint32_t *)destination = (uint32_t)most;
	return wrong;
}

OPTION_PARSER(parse_pid)
{
	uint64_t pid;
	const char *wrong = parse_count_within(text, 1, INT_MAX, &pid);

	if (!wrong)
		*(pid_t *)destination = (pid_t)pid;
	return wrong;
}

OPTION_PARSER(parse_max_size)
{
	enum { LEAST_SIZE = 64 << 10 };
	uint64_t size;

	if (!parse_size(text, &size) || size < LEAST_SIZE)
		return "a size of at least 64Ki bytes, such as 20M, is expected";
	*(uint64_t *)destination = size;
	return NULL;
}

OPTION_PARSER(parse_cache)
{
	*(const char **)destination = text;
	return *text ? NULL : "a folder, or no, is expected";
}

OPTION_PARSER(parse_cache_size)
{
	enum { LEAST_SIZE = 1 << 20 };
	uint64_t size;

	if (!parse_size(text, &size) || size < LEAST_SIZE)
		return "a size of at least 1Mi bytes, such as 100M, is expected";
	*(uint64_t *)destination = size;
	return NULL;
}

/* Parses a symbol, or "ssc:" and the number of a mark. */
OPTION_PARSER(parse_place)
{
	char *end;

	*(const char **)destination = text;
	if (strncmp(text, "ssc:", 4) != 0)
		return NULL;
	if (text[4] >= '0' && text[4] <= '9' && strtoul(text + 4, &end, 0) <= UINT32_MAX && !*end)
		return NULL;
	return "the number of a mark is expected after ssc:";
}

/* Parses a number with a unit: us, ms or s. */
static bool parse_time(const char *text, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {
		{ "us", 1e-6 },
		{ "ms", 1e-3 },
		{ "s", 1 },
	};
	size_t length = strlen(text);
	char number[32];

	for (unsigned i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t unit = strlen(units[i].unit);

		if (length <= unit || strcmp(text + length - unit, units[i].unit) != 0)
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)(length - unit), text);
		if (!parse_seconds(number, seconds))
			continue;
		*seconds *= units[i].seconds;
		return true;
	}
	return false;
}

/* Parses a time that is not 0: seconds, or a number with a unit. */
OPTION_PARSER(parse_duration)
{
	return parse_seconds(text, destination) || parse_time(text, destination)
		       ? NULL
		       : "a time such as 10, 2.5 or 100ms is expected";
}

/* Parses a number of instructions, or a number with a unit of time. */
OPTION_PARSER(parse_extent)
{
	struct record_extent *extent = destination;

	if (parse_time(text, &extent->seconds))
		return NULL;
	if (parse_count(text, &extent->instructions) && extent->instructions)
		return NULL;
	return "a number of instructions, or a time such as 10s or 100ms, is expected";
}

/* Parses NAME/ARGS, or NAME for a function whose arguments do not matter, and cuts the text at the
 * slash. */
OPTION_PARSER(parse_function)
{
	struct arguments *a = destination;
	char *slash = strrchr(text, '/');
	uint64_t n_args = 0;

	_Static_assert(TF_MAX_CALL_ARGS == 6, "the message has the number");
	if (slash && (!parse_count(slash + 1, &n_args) || n_args > TF_MAX_CALL_ARGS))
		return "a number of arguments from 0 to 6 is expected after /";
	if (slash == text)
		return "the name of a function is expected before /";
	if (slash)
		*slash = 0;
	a->functions[a->n_functions++] = (struct record_function){ .name = text,
								   .n_args = (unsigned)n_args,
								   .wanted = true };
	return NULL;
}

OPTION_PARSER(parse_backend)
{
	unsigned choice = 0;
	const char *wrong = option_choice(option, &choice, text);

	if (!wrong)
		*(const char **)destination = record_backends()[choice];
	return wrong;
}

OPTION_PARSER(parse_cpu)
{
	int level = record_cpu_level(text);

	if (level < 0)
		return expected_choice("native|x86-64-v2|x86-64-v3|x86-64-v4");
	*(int *)destination = level;
	return NULL;
}

OPTION_PARSER(parse_environment)
{
	unsigned all = 0;
	const char *wrong = option_choice(option, &all, text);

	if (!wrong)
		*(enum record_environment *)destination = all ? RECORD_ENV_ALL : RECORD_ENV_NAMES;
	return wrong;
}

OPTION_PARSER(parse_sample)
{
	static char message[256];

	*(const char **)destination = text;
	return record_sample_check(text, message, sizeof(message)) ? NULL : message;
}

/* ---- the options ------------------------------------------------------------------------- */

#define AT(member) offsetof(struct arguments, member)

static const struct command_option options_table[] = {
	{ "output", 'o', "FILE", "the trace (default PROGRAM.trace), or - for a pipe", option_text,
	  AT(options.output) },
	{ "force", 0, NULL, "", option_flag, AT(options.force) },
	{ "mode", 0, "MODE", "replace FILE; permissions of FILE (default 0600)", option_trace_mode,
	  AT(options.mode) },
	{ "pid", 'p', "PID", "attach to a process; Ctrl-C lets it go on natively", parse_pid,
	  AT(options.pid) },
	{ "follow", 'f', NULL, "record the processes that the program starts, too", option_flag,
	  AT(options.follow) },
	{ "from", 0, "PLACE", "", parse_place, AT(options.from) },
	{ "to", 0, "PLACE", "begin, end at a symbol or an SSC mark", parse_place, AT(options.to) },
	{ "skip", 0, "N", "", option_count, AT(options.skip) },
	{ "count", 0, "N", "leave out N instructions, then record N", option_positive,
	  AT(options.count) },
	{ "time", 0, "TIME", "", parse_duration, AT(options.seconds) },
	{ "max-size", 0, "SIZE", "end after TIME, before FILE exceeds SIZE", parse_max_size,
	  AT(options.max_size) },
	{ "every", 0, "PERIOD", "", parse_extent, AT(options.period) },
	{ "for", 0, "LENGTH", "windows, by time or instructions", parse_extent,
	  AT(options.window) },
	{ "function", 0, "NAME/ARGS", "calls of NAME are events with ARGS arguments",
	  parse_function, 0 },
	{ "no-functions", 0, NULL, "", option_flag, AT(no_functions) },
	{ "no-addresses", 0, NULL, "omit calls of malloc, data addresses", option_flag,
	  AT(options.no_addresses) },
	{ "vectors", 0, NULL, "", option_flag, AT(vectors) },
	{ "interval", 0, "N", "basic block vectors of N instructions", parse_interval,
	  AT(options.interval) },
	{ "boundary", 0, "early|exact|loop", NULL, option_choice, AT(options.boundary) },
	{ "exclude", 0, "NAME,...|none", NULL, option_text, AT(options.exclude) },
	{ "marker-images", 0, "main|all|NAME,...", NULL, option_text, AT(options.marker_images) },
	{ "points", 0, "PLAN", "", option_text, AT(points) },
	{ "warmup", 0, "N", "slices of trace-simpoint's PLAN, or \"online\"", option_count,
	  AT(warmup) },
	{ "radius", 0, "SHARE", NULL, parse_radius, AT(options.online.radius) },
	{ "max-k", 0, "N", NULL, parse_max_k, AT(options.online.max_clusters) },
	{ "on-miss", 0, "skip|ordinal", NULL, option_second, AT(options.ordinal_on_miss) },
	{ "strict", 0, NULL, NULL, option_flag, AT(options.strict) },
	{ "after", 0, "run|kill", NULL, option_second, AT(options.kill_at_end) },
	{ "sample", 0, "EVENT", "", parse_sample, AT(options.sample) },
	{ "only-samples", 0, NULL, "sample cpu-clock, ibs_op, ...; only that", option_flag,
	  AT(options.only_samples) },
	{ "env", 0, "names|all", NULL, parse_environment, AT(options.environment) },
	{ "cpu", 0, "LEVEL", "show the program an x86-64-v2, -v3 or -v4 CPU", parse_cpu,
	  AT(options.cpu) },
	{ "threads", 0, "parallel|serial", "run threads together, or in exact order", option_second,
	  AT(options.serial) },
	{ "aslr", 0, NULL, NULL, option_flag, AT(options.aslr) },
	{ "flush", 0, "TIME", NULL, parse_duration, AT(options.flush_seconds) },
	{ "on-error", 0, "detach|kill", NULL, option_second, AT(options.kill_on_error) },
	{ "self-check", 0, NULL, NULL, option_flag, AT(options.self_check) },
	{ "cache", 0, "DIR|no", NULL, parse_cache, AT(cache) },
	{ "cache-size", 0, "SIZE", NULL, parse_cache_size, AT(options.cache_size) },
	{ "backend", 0, "translate|step", NULL, parse_backend, AT(options.backend) },
	{ "level", 0, "N", NULL, parse_level, AT(options.level) },
	{ "chunk", 0, "N", NULL, parse_chunk, AT(options.chunk_instructions) },
	{ "stats", 0, NULL, NULL, option_flag, AT(options.stats) },
	{ "quiet", 'q', NULL, "", option_flag, AT(quiet) },
	{ "help", 'h', NULL, "", option_help, 0 },
	{ "version", 'V', NULL, "no summary; this help; versions", option_version, 0 },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};

static const struct command trace_record = {
	.name = "trace-record",
	.usage = "[options] [--] PROGRAM [ARGUMENT...]\n"
		 "[options] -p PID\n",
	.summary = "Record every instruction that a program executes, with all addresses.",
	.options = options_table,
	.notes = "Exit status: the program's; 128+n if signal n ended it; 125 if recording failed.",
	.example = "trace-record -o ls.trace ls -l / && trace-info ls.trace",
	.operand_ends_options = true,
};

/* ---- options against each other ---------------------------------------------------------- */

/*
 * Checks that windows are shorter than their period, and that a counted period has counted
 * windows.
 */
static int check_windows(const struct record_options *o)
{
	const struct record_extent *every = &o->period, *window = &o->window;
	bool has_period = every->instructions || every->seconds > 0;
	bool has_window = window->instructions || window->seconds > 0;

	if (has_period != has_window)
		return command_usage_error("--every needs --for, and --for needs --every");
	if (every->instructions && window->seconds > 0)
		return command_usage_error("--every in instructions needs --for in instructions");
	if ((every->instructions && every->instructions <= window->instructions) ||
	    (every->seconds > 0 && every->seconds <= window->seconds))
		return command_usage_error("--for must be less than --every");
	return EXIT_DONE;
}

enum { DEFAULT_INTERVAL = 100000000 };

/* Completes the options of a recording with --vectors, and rejects those that need executions. */
static int check_vectors(struct arguments *a)
{
	enum { LEAST_LOOP_INTERVAL = 100000 };
	struct record_options *o = &a->options;

	if (!a->vectors)
		return (o->interval && !a->online) || o->boundary || o->marker_images
			       ? command_usage_error("--boundary and --marker-images need "
						     "--vectors; --interval needs --vectors or "
						     "--points=online")
			       : EXIT_DONE;
	if (o->sample)
		return command_usage_error("--vectors counts all executions, which --sample does "
					   "not estimate; --only-samples, without --vectors, "
					   "records samples alone");
	if (o->from || o->to || o->skip || o->count || o->window.instructions ||
	    o->window.seconds > 0 || o->max_size || o->self_check || a->n_functions)
		return command_usage_error("--vectors counts programs from their beginning and "
					   "records no events: not with --from, --to, --skip, "
					   "--count, --every, --max-size, --function or "
					   "--self-check");
	if (o->boundary == BOUNDARY_LOOP && o->follow)
		return command_usage_error("--boundary=loop counts the loops of one program: not "
					   "with --follow");
	if (!o->interval)
		o->interval = DEFAULT_INTERVAL;
	if (o->boundary != BOUNDARY_LOOP && o->marker_images)
		return command_usage_error("--marker-images needs --boundary=loop");
	if (o->boundary == BOUNDARY_LOOP && o->interval < LEAST_LOOP_INTERVAL)
		return command_usage_error("--boundary=loop needs an --interval of at least "
					   "100,000");
	if (o->boundary == BOUNDARY_LOOP && !o->exclude)
		o->exclude = "default";
	a->no_functions = true;
	return EXIT_DONE;
}

/* Completes the options of --points=online. */
static int check_online(struct arguments *a)
{
	enum { LEAST_INTERVAL = 100000, MOST_INTERVAL = 1 << 30, DEFAULT_MAX_K = 64 };
	static const double default_radius = 0.2;
	struct record_options *o = &a->options;

	if (!a->online)
		return o->online.radius > 0 || o->online.max_clusters
			       ? command_usage_error("--radius and --max-k need --points=online")
			       : EXIT_DONE;
	if (o->kill_at_end || o->strict || o->ordinal_on_miss)
		return command_usage_error("--on-miss, --strict and --after need the plan of an "
					   "earlier run, not --points=online");
	o->online.interval = o->interval ? o->interval : DEFAULT_INTERVAL;
	o->interval = 0;
	if (o->online.interval < LEAST_INTERVAL || o->online.interval > MOST_INTERVAL)
		return command_usage_error("--points=online needs an --interval from 100,000 to "
					   "2^30");
	o->online.warmup = a->warmup == UINT64_MAX ? 0 : a->warmup;
	if (o->online.warmup > MOST_INTERVAL)
		return command_usage_error("--points=online needs a --warmup of at most 2^30");
	if (!(o->online.radius > 0))
		o->online.radius = default_radius;
	if (!o->online.max_clusters)
		o->online.max_clusters = DEFAULT_MAX_K;
	return EXIT_DONE;
}

/* Rejects options that do not go with slices. */
static int check_points(const struct arguments *a)
{
	const struct record_options *o = &a->options;

	if (!a->points)
		return a->warmup != UINT64_MAX || o->kill_at_end || o->strict || o->ordinal_on_miss
			       ? command_usage_error("--warmup, --on-miss, --strict and --after "
						     "need --points")
			       : EXIT_DONE;
	if (o->pid || a->vectors || o->from || o->to || o->skip || o->count || o->seconds > 0 ||
	    o->window.instructions || o->window.seconds > 0 || o->max_size || o->sample ||
	    (o->follow && !a->online))
		return command_usage_error("--points records slices of one program from its "
					   "beginning: not with -p, --vectors, --from, --to, "
					   "--skip, --count, --time, --every, --max-size or "
					   "--sample, and with --follow only --points=online");
	if (o->output && is_standard_stream(o->output))
		return command_usage_error("--points writes several traces, which - cannot take");
	return EXIT_DONE;
}

/* Rejects options that choose instructions if none are recorded. */
static int check_samples(const struct record_options *o)
{
	if (!o->only_samples)
		return EXIT_DONE;
	if (!o->sample)
		return command_usage_error("--only-samples needs --sample");
	if (o->from || o->to || o->skip || o->count || o->window.instructions ||
	    o->window.seconds > 0 || o->max_size || o->self_check || o->cpu || o->no_addresses)
		return command_usage_error("--only-samples records no instructions: options that "
					   "choose instructions do not apply; --time does");
	return EXIT_DONE;
}

/* Rejects --cpu with native execution, which sees the machine's own processor. */
static int check_cpu(const struct record_options *o)
{
	if (o->cpu && (o->pid || o->from || o->period.seconds > 0))
		return command_usage_error(
			"--cpu needs the program from its beginning, without -p, "
			"--from and windows by time: code that runs natively "
			"sees the machine's own processor");
	return EXIT_DONE;
}

/* Adds the malloc family, except functions that the user has named. */
static void add_default_functions(struct arguments *a)
{
	size_t count, n_users = a->n_functions;
	const struct record_function *defaults = record_default_functions(&count);

	for (size_t i = 0; i < count; i++) {
		bool named = false;

		for (size_t k = 0; k < n_users; k++)
			named |= strcmp(a->functions[k].name, defaults[i].name) == 0;
		if (!named)
			a->functions[a->n_functions++] = defaults[i];
	}
}

/* Returns the given options as text for the trace, or NULL if memory is out. */
static char *join(char **words, int count)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; file && i < count; i++)
		fprintf(file, "%s%s", i ? " " : "", words[i]);
	if (!file || fclose(file) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Checks that either a program or a process is to be recorded. */
static int check_subject(const struct arguments *a, int count, char **words)
{
	if (a->options.pid && count)
		return command_usage_error("-p %d and a program to be started (%s) exclude each "
					   "other",
					   (int)a->options.pid, words[0]);
	if (a->options.pid)
		return EXIT_DONE;
	if (!count)
		return command_usage_error(
			"no program given, and no process; use PROGRAM or -p PID");
	if (!*words[0])
		return command_usage_error("the program to be recorded has no name");
	return EXIT_DONE;
}

int arguments_parse(int argc, char **argv, struct arguments *a)
{
	int n_options, status = command_parse(&trace_record, a, argc, argv);

	if (status != OPTION_DONE)
		return status;
	a->online = a->points && !strcmp(a->points, "online");
	status = check_subject(a, argc - optind, argv + optind);
	if (status == EXIT_DONE)
		status = check_windows(&a->options);
	if (status == EXIT_DONE)
		status = check_samples(&a->options);
	if (status == EXIT_DONE)
		status = check_cpu(&a->options);
	if (status == EXIT_DONE)
		status = check_vectors(a);
	if (status == EXIT_DONE)
		status = check_points(a);
	if (status == EXIT_DONE)
		status = check_online(a);
	if (status != EXIT_DONE)
		return status;
	if (a->options.self_check && a->options.backend &&
	    strcmp(a->options.backend, record_backends()[0]) != 0)
		return command_usage_error("--self-check checks translated code, and --backend=%s "
					   "translates none",
					   a->options.backend);
	a->options.argv = a->options.pid ? NULL : argv + optind;
	if (!a->no_functions)
		add_default_functions(a);
	a->options.functions = a->functions;
	a->options.cache = cache_folder(a->cache);
	a->options.n_functions = a->n_functions;
	n_options = optind - 1;
	if (n_options && strcmp(argv[n_options], "--") == 0)
		n_options--;
	a->options.command_options = join(argv + 1, n_options);
	if (a->options.command_options)
		return OPTION_DONE;
	command_error("out of memory");
	return EXIT_NOT_RECORDED;
}
