/* SPDX-License-Identifier: MIT */
#include "cli/record/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/choice.h"
#include "cli/common/command.h"
#include "cli/common/common_options.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/record/values.h"

static const char help[] =
	"Usage: trace-record [options] [--] PROGRAM [ARGUMENT...]\n"
	"       trace-record [options] -p PID\n"
	"Record every instruction that a program executes, with all addresses.\n"
	"  -o, --output=FILE      the trace (default PROGRAM.trace); -: standard output\n"
	"      --force, --mode=MODE  replace FILE if it exists; octal mode of FILE (0600)\n"
	"  -p, --pid=PID          attach to a process; Ctrl-C lets it go on natively\n"
	"  -f, --follow, --on-error=kill  record its children too; on errors kill them\n"
	"      --from=PLACE, --skip=N  begin at a symbol or mark; after N instructions\n"
	"      --to=PLACE, --count=N, --time=S, --max-size=SIZE  end at a place, after N\n"
	"                         instructions, S seconds, at a size; it runs on then\n"
	"      --every=T, --for=T windows: the first T of every T, times or instructions\n"
	"      --function=F/ARGS  calls of F are events, with so many arguments; those of\n"
	"                         the malloc family are unless --no-functions\n"
	"      --sample=EVENT[,period=N][,rand], --only-samples  sample cpu-clock,\n"
	"                         page-faults, ibs_op, ibs_fetch, mem-loads; or alone\n"
	"      --no-addresses, --aslr, --env=names|all  control flow and repetition\n"
	"                         counts alone; random addresses; note the environment\n"
	"      --threads=serial, --flush=S  one at a time; be readable every S seconds\n"
	"      --backend=step, --level=N, --chunk=N  single steps; zstd; size of chunks\n"
	"      --self-check, --cpu=LEVEL  verify it; pose as an x86-64-v2, -v3, -v4 CPU\n"
	"  -q, --quiet, --stats   no summary at the end; one of time and bytes\n"
	"  -h, --help; -V, --version  show this help; show versions\n"
	"Exit status: the program's; 128+n if signal n ended it; 125 if recording failed.\n"
	"Example: trace-record -o ls.trace ls -l / && trace-info ls.trace\n";

enum { MAX_LEVEL = 22, MAX_CHUNK = 1 << 26 };

/* clang-format off */
enum long_option {
	OPTION_FORCE = 256, OPTION_FROM, OPTION_TO, OPTION_SKIP, OPTION_COUNT, OPTION_TIME,
	OPTION_MAX_SIZE, OPTION_FUNCTION, OPTION_NO_FUNCTIONS, OPTION_NO_ADDRESSES, OPTION_ASLR,
	OPTION_ENV, OPTION_FLUSH, OPTION_BACKEND, OPTION_LEVEL, OPTION_CHUNK, OPTION_STATS,
	OPTION_SELF_CHECK, OPTION_THREADS, OPTION_EVERY, OPTION_FOR, OPTION_CPU, OPTION_ON_ERROR,
	OPTION_SAMPLE, OPTION_ONLY_SAMPLES, OPTION_MODE,
};
/* clang-format on */

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "mode", required_argument, NULL, OPTION_MODE },
	{ "pid", required_argument, NULL, 'p' },
	{ "follow", no_argument, NULL, 'f' },
	{ "from", required_argument, NULL, OPTION_FROM },
	{ "to", required_argument, NULL, OPTION_TO },
	{ "skip", required_argument, NULL, OPTION_SKIP },
	{ "count", required_argument, NULL, OPTION_COUNT },
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "cpu", required_argument, NULL, OPTION_CPU },
	{ "on-error", required_argument, NULL, OPTION_ON_ERROR },
	{ "every", required_argument, NULL, OPTION_EVERY },
	{ "for", required_argument, NULL, OPTION_FOR },
	{ "max-size", required_argument, NULL, OPTION_MAX_SIZE },
	{ "function", required_argument, NULL, OPTION_FUNCTION },
	{ "no-functions", no_argument, NULL, OPTION_NO_FUNCTIONS },
	{ "no-addresses", no_argument, NULL, OPTION_NO_ADDRESSES },
	{ "aslr", no_argument, NULL, OPTION_ASLR },
	{ "env", required_argument, NULL, OPTION_ENV },
	{ "flush", required_argument, NULL, OPTION_FLUSH },
	{ "backend", required_argument, NULL, OPTION_BACKEND },
	{ "threads", required_argument, NULL, OPTION_THREADS },
	{ "level", required_argument, NULL, OPTION_LEVEL },
	{ "chunk", required_argument, NULL, OPTION_CHUNK },
	{ "sample", required_argument, NULL, OPTION_SAMPLE },
	{ "only-samples", no_argument, NULL, OPTION_ONLY_SAMPLES },
	{ "self-check", no_argument, NULL, OPTION_SELF_CHECK },
	{ "quiet", no_argument, NULL, 'q' },
	{ "stats", no_argument, NULL, OPTION_STATS },
	COMMON_OPTIONS
};

/* Checks that windows are shorter than their period, and that a counted period has counted windows. */
static int check_windows(const struct record_options *o)
{
	const struct record_extent *every = &o->period, *window = &o->window;
	bool has_period = every->instructions || every->seconds > 0;
	bool has_window = window->instructions || window->seconds > 0;

	if (has_period != has_window)
		return command_usage_error("--every and --for go together");
	if (every->instructions && window->seconds > 0)
		return command_usage_error("--every in instructions needs --for in instructions");
	if ((every->instructions && every->instructions <= window->instructions) ||
	    (every->seconds > 0 && every->seconds <= window->seconds))
		return command_usage_error("--for must be less than --every");
	return EXIT_DONE;
}

/* NAME/ARGS, or NAME for a function whose arguments do not matter. The text is cut. */
static int parse_function(struct arguments *a, char *text)
{
	struct record_function *f = &a->functions[a->n_functions];
	char *slash = strrchr(text, '/');
	uint64_t n_args = 0;

	if (slash && (!parse_count(slash + 1, &n_args) || n_args > TF_MAX_CALL_ARGS))
		return command_usage_error("--function=%s: after / comes a number of arguments "
					   "from 0 to %d",
					   text, TF_MAX_CALL_ARGS);
	if (slash)
		*slash = 0;
	if (!*text)
		return command_usage_error("--function needs the name of a function");
	*f = (struct record_function){ .name = text, .n_args = (unsigned)n_args, .wanted = true };
	a->n_functions++;
	return EXIT_DONE;
}

static int parse_backend(struct arguments *a, const char *name)
{
	const char *const *names = record_backends();

	for (unsigned i = 0; names[i]; i++)
		if (strcmp(names[i], name) == 0) {
			a->options.backend = name;
			return EXIT_DONE;
		}
	return command_usage_error("--backend=%s: %s", name, expected_choice("translate|step"));
}

static int parse_threads(struct arguments *a, const char *text)
{
	unsigned serial = 0;
	int status = choose("--threads", text, "parallel|serial", &serial);

	a->options.serial = serial;
	return status;
}

static int parse_pid(struct arguments *a, const char *text)
{
	uint64_t pid;
	int status = value_number("pid", text, 1, INT_MAX, &pid);

	if (status == EXIT_DONE)
		a->options.pid = (pid_t)pid;
	return status;
}

static int parse_cpu(struct arguments *a, const char *name)
{
	a->options.cpu = record_cpu_level(name);
	return a->options.cpu >= 0
		       ? EXIT_DONE
		       : command_usage_error("--cpu=%s: %s", name,
					     expected_choice(
						     "native|x86-64-v2|x86-64-v3|x86-64-v4"));
}

static int parse_on_error(struct arguments *a, const char *text)
{
	unsigned kill_it = 0;
	int status = choose("--on-error", text, "detach|kill", &kill_it);

	a->options.kill_on_error = kill_it;
	return status;
}

static int parse_environment(struct arguments *a, const char *text)
{
	unsigned all = 0;
	int status = choose("--env", text, "names|all", &all);

	a->options.environment = all ? RECORD_ENV_ALL : RECORD_ENV_NAMES;
	return status;
}

static int parse_mode(struct arguments *a, const char *text)
{
	mode_t mode;
	int status = parse_trace_mode(text, &mode);

	if (status != OPTION_DONE)
		return status;
	a->options.mode = (int)mode;
	return EXIT_DONE;
}

static int parse_sample(struct arguments *a, const char *text)
{
	char message[256];

	a->options.sample = text;
	return record_sample_check(text, message, sizeof(message))
		       ? EXIT_DONE
		       : command_usage_error("--sample: %s", message);
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
		return command_usage_error("--only-samples records no instructions, and of what "
					   "chooses them knows --time alone");
	return EXIT_DONE;
}

/* Rejects --cpu with native execution, which sees the machine's own processor. */
static int check_cpu(const struct record_options *o)
{
	if (o->cpu && (o->pid || o->from || o->period.seconds > 0))
		return command_usage_error("--cpu needs the program from its beginning: not with "
					   "-p, --from or windows by time, as what runs natively "
					   "sees the machine's processor");
	return EXIT_DONE;
}

/* Returns the flag that an option without a value sets, or NULL. */
static bool *flag_of(struct arguments *a, int option)
{
	switch (option) {
	case OPTION_FORCE: return &a->options.force;
	case 'f': return &a->options.follow;
	case OPTION_NO_FUNCTIONS: return &a->no_functions;
	case OPTION_NO_ADDRESSES: return &a->options.no_addresses;
	case OPTION_ONLY_SAMPLES: return &a->options.only_samples;
	case OPTION_SELF_CHECK: return &a->options.self_check;
	case OPTION_ASLR: return &a->options.aslr;
	case 'q': return &a->quiet;
	case OPTION_STATS: return &a->stats;
	default: return NULL;
	}
}

static int parse_level(struct arguments *a, const char *text)
{
	uint64_t level;
	int status = value_number("level", text, 1, MAX_LEVEL, &level);

	if (status == EXIT_DONE)
		a->options.level = (int)level;
	return status;
}

static int parse_value(struct arguments *a, int option)
{
	struct record_options *o = &a->options;

	switch (option) {
	case 'o': o->output = optarg; return EXIT_DONE;
	case 'p': return parse_pid(a, optarg);
	case OPTION_MODE: return parse_mode(a, optarg);
	case OPTION_FROM: return value_place("from", optarg, &o->from);
	case OPTION_TO: return value_place("to", optarg, &o->to);
	case OPTION_SKIP: return value_number("skip", optarg, 0, UINT64_MAX, &o->skip);
	case OPTION_COUNT: return value_number("count", optarg, 1, UINT64_MAX, &o->count);
	case OPTION_TIME: return value_duration("time", optarg, &o->seconds);
	case OPTION_CPU: return parse_cpu(a, optarg);
	case OPTION_ON_ERROR: return parse_on_error(a, optarg);
	case OPTION_EVERY: return value_extent("every", optarg, &o->period);
	case OPTION_FOR: return value_extent("for", optarg, &o->window);
	case OPTION_MAX_SIZE: return value_size("max-size", optarg, 64 << 10, &o->max_size);
	case OPTION_FUNCTION: return parse_function(a, optarg);
	case OPTION_SAMPLE: return parse_sample(a, optarg);
	case OPTION_ENV: return parse_environment(a, optarg);
	case OPTION_FLUSH: return value_duration("flush", optarg, &o->flush_seconds);
	case OPTION_THREADS: return parse_threads(a, optarg);
	case OPTION_BACKEND: return parse_backend(a, optarg);
	case OPTION_LEVEL: return parse_level(a, optarg);
	case OPTION_CHUNK:
		return value_number("chunk", optarg, 1, MAX_CHUNK, &o->chunk_instructions);
	default: a->done = true; return common_option(option, help, NULL);
	}
}

static int parse_option(struct arguments *a, int option)
{
	bool *flag = flag_of(a, option);

	if (!flag)
		return parse_value(a, option);
	*flag = true;
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
		return command_usage_error("the program to be recorded is missing");
	if (!*words[0])
		return command_usage_error("the program to be recorded has no name");
	return EXIT_DONE;
}

int arguments_parse(int argc, char **argv, struct arguments *a)
{
	int option, status, n_options;

	/* "+": options after PROGRAM are the program's. */
	while ((option = next_option(argc, argv, "+o:p:fq" COMMON_LETTERS, long_options)) != -1) {
		status = parse_option(a, option);
		if (status != EXIT_DONE || a->done)
			return status;
	}
	status = check_subject(a, argc - optind, argv + optind);
	if (status == EXIT_DONE)
		status = check_windows(&a->options);
	if (status == EXIT_DONE)
		status = check_samples(&a->options);
	if (status == EXIT_DONE)
		status = check_cpu(&a->options);
	if (status != EXIT_DONE)
		return status;
	if (a->options.self_check && a->options.backend &&
	    strcmp(a->options.backend, record_backends()[0]) != 0)
		return command_usage_error("--self-check checks translation, and --backend=%s does "
					   "without it",
					   a->options.backend);
	a->options.argv = a->options.pid ? NULL : argv + optind;
	if (!a->no_functions)
		add_default_functions(a);
	a->options.functions = a->functions;
	a->options.n_functions = a->n_functions;
	n_options = optind - 1;
	if (n_options && strcmp(argv[n_options], "--") == 0)
		n_options--;
	a->options.command_options = join(argv + 1, n_options);
	if (a->options.command_options)
		return EXIT_DONE;
	command_error("out of memory");
	return EXIT_NOT_RECORDED;
}
