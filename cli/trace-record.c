/* SPDX-License-Identifier: MIT */
/* trace-record - runs a program and records what it executes. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/columns.h"
#include "cli/common/command.h"
#include "recorder/guard.h"
#include "recorder/recorder.h"

static const char help[] =
"Usage: trace-record [options] [--] PROGRAM [ARGUMENT...]\n"
"       trace-record [options] -p PID\n"
"Record every instruction that a program executes, with all addresses.\n"
"  -o, --output=FILE      the trace (default PROGRAM.trace); -: standard output\n"
"      --force            replace FILE if it exists\n"
"  -p, --pid=PID          attach to a process; Ctrl-C lets it go on natively\n"
"  -f, --follow, --on-error=kill  record its children too; kill if that fails\n"
"      --from=PLACE, --skip=N  begin at a symbol or mark; after N instructions\n"
"      --to=PLACE, --count=N, --time=S, --max-size=SIZE\n"
"                         end at a place, after N instructions, S seconds, at\n"
"                         a size of the trace; the program runs on natively\n"
"      --every=T, --for=T windows: so much of every so much; times, or counts\n"
"      --function=F/ARGS  calls of F are events, with so many arguments; those of\n"
"                         the malloc family are unless --no-functions\n"
"      --no-addresses     record control flow and repetition counts alone\n"
"      --aslr, --env=names|all  leave addresses random; note the environment\n"
"      --threads=serial, --flush=S  one at a time; be readable every S seconds\n"
"      --backend=step, --level=N, --chunk=N\n"
"                         step by step; zstd level; instructions of a chunk\n"
"      --self-check, --cpu=LEVEL  check it; be an x86-64-v2, -v3, -v4 processor\n"
"  -q, --quiet, --stats   say nothing at the end; say where time and bytes went\n"
"  -h, --help, --version  show this help; show versions\n"
"Exit status: the program's; 128+n if signal n ended it; 125 if recording failed.\n"
"Example: trace-record -o ls.trace ls -l / && trace-info ls.trace\n";

enum { MAX_LEVEL = 22, MAX_CHUNK = 1 << 26 };

enum long_option {
	OPTION_FORCE = 256, OPTION_FROM, OPTION_TO, OPTION_SKIP, OPTION_COUNT, OPTION_TIME,
	OPTION_MAX_SIZE, OPTION_FUNCTION, OPTION_NO_FUNCTIONS, OPTION_NO_ADDRESSES, OPTION_ASLR,
	OPTION_ENV, OPTION_FLUSH, OPTION_BACKEND, OPTION_LEVEL, OPTION_CHUNK, OPTION_STATS,
	OPTION_SELF_CHECK, OPTION_THREADS, OPTION_EVERY, OPTION_FOR, OPTION_CPU, OPTION_ON_ERROR, OPTION_VERSION,
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "force", no_argument, NULL, OPTION_FORCE },
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
	{ "self-check", no_argument, NULL, OPTION_SELF_CHECK },
	{ "quiet", no_argument, NULL, 'q' },
	{ "stats", no_argument, NULL, OPTION_STATS },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

struct arguments {
	struct record_options options;
	struct record_function *functions;	/* the user's first, then the default ones */
	size_t n_functions;
	bool no_functions, quiet, stats, done;
};

/* ---- options ------------------------------------------------------------------------------ */

static int parse_number(const char *name, const char *text, uint64_t least, uint64_t most,
			uint64_t *value)
{
	if (parse_count(text, value) && *value >= least && *value <= most)
		return EXIT_DONE;
	if (most == UINT64_MAX)
		return command_usage_error("--%s=%s: a number of at least %" PRIu64 " is expected",
					   name, text, least);
	return command_usage_error("--%s=%s: a number from %" PRIu64 " to %" PRIu64 " is expected",
				   name, text, least, most);
}

static int parse_duration(const char *name, const char *text, double *seconds)
{
	return parse_seconds(text, seconds) ? EXIT_DONE :
	       command_usage_error("--%s=%s: a positive number of seconds is expected", name, text);
}

/* A symbol, or "ssc:" and the number of a mark. */
static int check_place(const char *name, const char *place)
{
	char *end;

	if (strncmp(place, "ssc:", 4) != 0)
		return EXIT_DONE;
	if (place[4] >= '0' && place[4] <= '9' && strtoul(place + 4, &end, 0) <= UINT32_MAX && !*end)
		return EXIT_DONE;
	return command_usage_error("--%s=%s: after ssc: comes the number of a mark", name, place);
}

/* Instructions, or a time that ends in s, ms or us. The text may be cut. */
static int parse_extent(const char *name, char *text, struct record_extent *extent)
{
	static const struct { const char *unit; double seconds; } units[] = {
		{ "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 },
	};
	size_t length = strlen(text);

	for (unsigned i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t unit = strlen(units[i].unit);

		if (length <= unit || strcmp(text + length - unit, units[i].unit) != 0)
			continue;
		text[length - unit] = 0;
		if (parse_seconds(text, &extent->seconds)) {
			extent->seconds *= units[i].seconds;
			return EXIT_DONE;
		}
		text[length - unit] = units[i].unit[0];
		break;
	}
	if (parse_count(text, &extent->instructions) && extent->instructions)
		return EXIT_DONE;
	return command_usage_error("--%s=%s: a number of instructions, or a time such as 10s or "
				   "100ms, is expected", name, text);
}

/* Windows are shorter than their period, and one that is counted has no end by time. */
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
					   "from 0 to %d", text, TF_MAX_CALL_ARGS);
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
	return command_usage_error("--backend=%s: translate or step is expected", name);
}

static int parse_threads(struct arguments *a, const char *text)
{
	a->options.serial = strcmp(text, "serial") == 0;
	if (!a->options.serial && strcmp(text, "parallel") != 0)
		return command_usage_error("--threads=%s: parallel or serial is expected", text);
	return EXIT_DONE;
}

static int parse_pid(struct arguments *a, const char *text)
{
	uint64_t pid;
	int status = parse_number("pid", text, 1, INT_MAX, &pid);

	if (status == EXIT_DONE)
		a->options.pid = (pid_t)pid;
	return status;
}

static int parse_cpu(struct arguments *a, const char *name)
{
	a->options.cpu = record_cpu_level(name);
	return a->options.cpu >= 0 ? EXIT_DONE :
	       command_usage_error("--cpu=%s: native, x86-64-v2, x86-64-v3 or x86-64-v4 is expected",
				   name);
}

static int parse_on_error(struct arguments *a, const char *text)
{
	a->options.kill_on_error = strcmp(text, "kill") == 0;
	if (!a->options.kill_on_error && strcmp(text, "detach") != 0)
		return command_usage_error("--on-error=%s: detach or kill is expected", text);
	return EXIT_DONE;
}

static int parse_environment(struct arguments *a, const char *text)
{
	if (strcmp(text, "names") == 0)
		a->options.environment = RECORD_ENV_NAMES;
	else if (strcmp(text, "all") == 0)
		a->options.environment = RECORD_ENV_ALL;
	else
		return command_usage_error("--env=%s: names or all is expected", text);
	return EXIT_DONE;
}

static int parse_option(struct arguments *a, int option)
{
	struct record_options *o = &a->options;
	uint64_t level;
	int status;

	switch (option) {
	case 'o':
		o->output = optarg;
		return *optarg ? EXIT_DONE : command_usage_error("-o needs the name of a file");
	case OPTION_FORCE:
		o->force = true;
		return EXIT_DONE;
	case 'p':
		return parse_pid(a, optarg);
	case 'f':
		o->follow = true;
		return EXIT_DONE;
	case OPTION_FROM:
		o->from = optarg;
		return check_place("from", optarg);
	case OPTION_TO:
		o->to = optarg;
		return check_place("to", optarg);
	case OPTION_SKIP:
		return parse_number("skip", optarg, 0, UINT64_MAX, &o->skip);
	case OPTION_COUNT:
		return parse_number("count", optarg, 1, UINT64_MAX, &o->count);
	case OPTION_TIME:
		return parse_duration("time", optarg, &o->seconds);
	case OPTION_CPU:
		return parse_cpu(a, optarg);
	case OPTION_ON_ERROR:
		return parse_on_error(a, optarg);
	case OPTION_EVERY:
		return parse_extent("every", optarg, &o->period);
	case OPTION_FOR:
		return parse_extent("for", optarg, &o->window);
	case OPTION_MAX_SIZE:
		return parse_number("max-size", optarg, 64 << 10, UINT64_MAX, &o->max_size);
	case OPTION_FUNCTION:
		return parse_function(a, optarg);
	case OPTION_NO_FUNCTIONS:
		a->no_functions = true;
		return EXIT_DONE;
	case OPTION_NO_ADDRESSES:
		o->no_addresses = true;
		return EXIT_DONE;
	case OPTION_SELF_CHECK:
		o->self_check = true;
		return EXIT_DONE;
	case OPTION_ASLR:
		o->aslr = true;
		return EXIT_DONE;
	case OPTION_ENV:
		return parse_environment(a, optarg);
	case OPTION_FLUSH:
		return parse_duration("flush", optarg, &o->flush_seconds);
	case OPTION_THREADS:
		return parse_threads(a, optarg);
	case OPTION_BACKEND:
		return parse_backend(a, optarg);
	case OPTION_LEVEL:
		status = parse_number("level", optarg, 1, MAX_LEVEL, &level);
		if (status == EXIT_DONE)
			o->level = (int)level;
		return status;
	case OPTION_CHUNK:
		return parse_number("chunk", optarg, 1, MAX_CHUNK, &o->chunk_instructions);
	case 'q':
		a->quiet = true;
		return EXIT_DONE;
	case OPTION_STATS:
		a->stats = true;
		return EXIT_DONE;
	case 'h':
		fputs(help, stdout);
		a->done = true;
		return command_close_stdout();
	case OPTION_VERSION:
		command_version();
		a->done = true;
		return command_close_stdout();
	default:
		return command_bad_option();
	}
}

/* The malloc family, except what the user has named himself. */
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

/* The options as they were given, for the trace. NULL: memory is out. */
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

/* Exactly one of them is to be recorded: a program, or a process. */
static int check_subject(const struct arguments *a, int count, char **words)
{
	if (a->options.pid && count)
		return command_usage_error("-p %d and a program to be started (%s) exclude each "
					   "other", (int)a->options.pid, words[0]);
	if (a->options.pid)
		return EXIT_DONE;
	if (!count)
		return command_usage_error("the program to be recorded is missing");
	if (!*words[0])
		return command_usage_error("the program to be recorded has no name");
	return EXIT_DONE;
}

static int parse(int argc, char **argv, struct arguments *a)
{
	int option, status, n_options;

	/* "+": options after PROGRAM are the program's. */
	while ((option = getopt_long(argc, argv, "+o:p:fqh", long_options, NULL)) != -1) {
		status = parse_option(a, option);
		if (status != EXIT_DONE || a->done)
			return status;
	}
	status = check_subject(a, argc - optind, argv + optind);
	if (status == EXIT_DONE)
		status = check_windows(&a->options);
	if (status != EXIT_DONE)
		return status;
	if (a->options.self_check && a->options.backend &&
	    strcmp(a->options.backend, record_backends()[0]) != 0)
		return command_usage_error("--self-check checks translation, and --backend=%s does "
					   "without it", a->options.backend);
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

/* ---- what there is to say ----------------------------------------------------------------- */

static void message(void *opaque, const char *text)
{
	(void)opaque;
	command_warning("%s", text);
}

/* The option that stopped the recording, if one did. */
static const char *stopped_by(const char *reason)
{
	static const struct { const char *reason, *text; } texts[] = {
		{ "count", ", stopped by --count" }, { "to", ", stopped by --to" },
		{ "time", ", stopped by --time" }, { "size", ", stopped by --max-size" },
		{ "interrupt", ", stopped by a signal" },
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(texts[i].reason, reason) == 0)
			return texts[i].text;
	return "";
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void put_summary(const char *name, const struct record_result *r)
{
	char instructions[COUNT_SIZE], bytes[COUNT_SIZE];

	command_note("%s: %s instructions, %s bytes (%.2f bytes/instruction)%s", name,
		     format_count(r->instructions, instructions), format_count(r->bytes, bytes),
		     ratio(r->bytes, r->instructions), stopped_by(r->stop_reason));
}

struct count {
	uint64_t value;
	const char *of;
};

/* "NAME: 1,234 paths, 56 flushes"; as many as fit into a line, which all of ours do. */
static void put_counts(const char *name, const struct count *counts, size_t n)
{
	char text[256], value[COUNT_SIZE];
	size_t length = 0;

	for (size_t i = 0; i < n && length < sizeof(text); i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s %s",
					   i ? ", " : "", format_count(counts[i].value, value),
					   counts[i].of);
	command_note("%s: %s", name, text);
}

#define PUT_COUNTS(name, ...) do {						\
	const struct count counts_[] = { __VA_ARGS__ };				\
										\
	put_counts(name, counts_, sizeof(counts_) / sizeof(*counts_));		\
} while (0)

static void put_translation(const struct record_stats *s)
{
	PUT_COUNTS("stops", { s->exits, "targets missing" },
		   { s->indirect, "indirect targets missing" },
		   { s->calls, "new return addresses" }, { s->buffers, "buffers full" });
	PUT_COUNTS("translated", { s->paths, "paths" }, { s->joined, "of them joined" },
		   { s->insns, "instructions" }, { s->code_bytes, "bytes of code" },
		   { s->flushes, "flushes" });
	if (s->checked)
		PUT_COUNTS("self-check", { s->checked, "values" });
	command_note("seconds: %.3f translating, %.3f stepping, %.3f waiting for the encoder, "
		     "%.3f writing records; of CPU, elsewhere: %.3f encoding, %.3f compressing",
		     s->translating, s->stepping, s->waiting, s->writing, s->encoding,
		     s->compressing);
}

static void put_column(const char *name, uint64_t bytes, const struct record_result *r)
{
	char text[COUNT_SIZE];

	command_note("bytes: %s (%.1f %%) %s", format_count(bytes, text),
		     100 * ratio(bytes, r->bytes), name);
}

/* Where the bytes of the trace are. */
static void put_bytes(const char *path, const struct record_result *r)
{
	struct tf_reader *reader = NULL;
	struct columns sums;
	struct tf_error error;
	uint64_t others = r->bytes;	/* symbols, blocks and paths, above all */

	if (tf_open(path, &reader, &error) < 0 || columns_sum(reader, &sums, &error) < 0) {
		command_warning("%s", error.text);
		tf_close(reader);
		return;
	}
	for (size_t i = 0; i < sums.count; i++) {
		const struct column_usage *c = &sums.columns[i];

		put_column(tf_column_name(c->id), c->stored, r);
		others -= c->stored;
	}
	put_column("outside of the columns", others, r);
	free(sums.columns);
	tf_close(reader);
}

static void put_stats(const struct record_result *r)
{
	const struct record_stats *s = &r->stats;
	uint64_t speed = r->seconds > 0 ? (uint64_t)((double)r->instructions / r->seconds) : 0;
	char text[COUNT_SIZE];

	PUT_COUNTS("executed", { r->instructions, "instructions" }, { r->paths, "paths" },
		   { r->blocks, "blocks" }, { r->static_blocks, "different ones" },
		   { r->opaque, "opaque instructions" });
	command_note("a path: %.2f instructions, %.2f slots", ratio(r->instructions, r->paths),
		     ratio(r->slots, r->paths));
	PUT_COUNTS("threads", { r->threads, "threads" }, { r->processes, "processes" },
		   { r->steps, "times resumed" }, { s->syscalls, "system calls" });
	PUT_COUNTS("stepped", { s->stepped_blocks, "blocks" }, { s->stepped_insns, "instructions" });
	if (s->paths)
		put_translation(s);
	command_note("%.3f s, %s instructions/s", r->seconds, format_count(speed, text));
}

static bool is_stdout(const struct record_options *o)
{
	return o->output && strcmp(o->output, "-") == 0;
}

static const char *trace_name(const struct record_options *o, char **made)
{
	const char *slash = o->argv ? strrchr(o->argv[0], '/') : NULL;
	int size;

	if (o->output)
		return is_stdout(o) ? "standard output" : o->output;
	if (o->pid)
		size = asprintf(made, "%d.trace", (int)o->pid);
	else
		size = asprintf(made, "%s.trace", slash ? slash + 1 : o->argv[0]);
	return size < 0 ? "trace" : *made;
}

static void put_end(const struct arguments *a, const char *name, const struct record_result *r)
{
	struct stat st;

	if (!a->quiet)
		put_summary(name, r);
	if (!a->stats)
		return;
	put_stats(r);
	if (!is_stdout(&a->options) && stat(name, &st) == 0 && S_ISREG(st.st_mode))
		put_bytes(name, r);
}

static int record(void *opaque)
{
	struct arguments *a = opaque;
	struct record_result result;
	struct tf_error error;
	char *made = NULL;

	if (record_run(&a->options, &result, &error) < 0)
		command_error("%s", error.text);
	else
		put_end(a, trace_name(&a->options, &made), &result);
	free(made);
	return result.exit_status;
}

static int record_guarded(struct arguments *a)
{
	int signal, status = guard_run(record, a, &signal);

	if (status >= 0)
		return status;
	if (signal)
		command_error("the recorder was ended by signal %d (%s), and process %d with it if it "
			      "was being recorded", signal, strsignal(signal),
			      (int)a->options.pid);
	else
		command_error("cannot start a process: %s", strerror(errno));
	return EXIT_NOT_RECORDED;
}

int main(int argc, char **argv)
{
	struct arguments a = { .options = { .size = sizeof(a.options), .message = message } };
	size_t n_defaults;
	int status;

	command_init("trace-record");
	record_default_functions(&n_defaults);
	a.functions = calloc((size_t)argc + n_defaults, sizeof(*a.functions));
	if (!a.functions) {
		command_error("out of memory");
		return EXIT_NOT_RECORDED;
	}
	status = parse(argc, argv, &a);
	if (status == EXIT_DONE && !a.done)
		status = a.options.pid ? record_guarded(&a) : record(&a);
	free(a.functions);
	free((char *)a.options.command_options);
	return status;
}
