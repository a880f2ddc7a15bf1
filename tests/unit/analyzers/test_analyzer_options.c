/* SPDX-License-Identifier: MIT */
/* The command line that all analyzers share, with options of their own. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzers/common/options.h"
#include "cli/common/command.h"
#include "tests/unit/analyzers/analyzer_run.h"
#include "tests/unit/analyzers/probe.h"
#include "tests/unit/run_suite.h"

struct own {
	bool flag;
	uint64_t count;
	const char *text;
	unsigned choice;
	uint64_t interval;
	const char *maybe;
};

static const char *parse_maybe(const struct command_option *option, void *destination,
			       const char *text)
{
	(void)option;
	*(const char **)destination = text ? text : "none";
	return NULL;
}

static const struct command_option own_options[] = {
	{ "flag", 'f', NULL, "a flag", analyzer_option_flag, offsetof(struct own, flag) },
	{ "size", 's', "N", "a count", analyzer_option_positive, offsetof(struct own, count) },
	{ "text", 0, "TEXT", "a text", analyzer_option_text, offsetof(struct own, text) },
	{ "kind", 'k', "one|two|three", "a choice", analyzer_option_choice,
	  offsetof(struct own, choice) },
	{ "interval", 0, "N", "its own", analyzer_option_count, offsetof(struct own, interval) },
	{ "maybe", 0, "[=X]", "with or without", parse_maybe, offsetof(struct own, maybe) },
	{ NULL, 0, NULL, NULL, NULL, 0 },
};
static const struct own own_defaults = { .count = 7, .choice = 1 };
/* clang-format off */
static const struct analyzer with_options = {
	.name = "trace-own", .summary = "take options", .options = own_options,
	.defaults = &own_defaults, .options_size = sizeof(struct own),
	.blocks = probe_blocks, .report = probe_report, .row = probe_row,
	.example = "trace-own x.trace",
};
/* clang-format on */

static int parse(struct settings *settings, struct own *own, const char *line)
{
	static char words[256];
	static char *argv[RUN_ARGUMENTS + 1]; /* settings->traces points there */
	static char *state_options;           /* of the settings before */
	int argc = 1, kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	memset(argv, 0, sizeof(argv));
	argv[0] = "trace-own";
	strcpy(words, line);
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	dup2(null, STDERR_FILENO);
	int status = parse_options(&with_options, argc, argv, settings, own);

	free(state_options);
	state_options = settings->state_options;
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(null);
	return status;
}

START_TEST(options)
{
	struct settings settings;
	struct own own;

	ck_assert_int_eq(parse(&settings, &own, "x.trace"), OPTION_DONE);
	ck_assert_str_eq(settings.traces[0], "x.trace");
	ck_assert_uint_eq(settings.count, UINT64_MAX);
	ck_assert_uint_eq(settings.jobs, 1);
	ck_assert_uint_eq(own.count, 7);
	ck_assert_uint_eq(own.choice, 1);
	ck_assert_ptr_null(own.maybe);

	ck_assert_int_eq(parse(&settings, &own,
			       "-f -s2k --text=t -kthree --interval 5 --from=1 "
			       "--count=2Ki --thread=3 --threads=each --region=r --format=json "
			       "-oout -q --maybe x.trace"),
			 OPTION_DONE);
	ck_assert(own.flag);
	ck_assert_uint_eq(own.count, 2000);
	ck_assert_str_eq(own.text, "t");
	ck_assert_uint_eq(own.choice, 2);
	ck_assert_uint_eq(own.interval, 5);
	ck_assert_str_eq(own.maybe, "none");
	ck_assert_uint_eq(settings.interval, 0);
	ck_assert_uint_eq(settings.from, 1);
	ck_assert_uint_eq(settings.count, 2048);
	ck_assert_uint_eq(settings.thread, 3);
	ck_assert_uint_eq(settings.threads, THREADS_EACH);
	ck_assert_str_eq(settings.region, "r");
	ck_assert_int_eq(settings.format, REPORT_JSON);
	ck_assert_str_eq(settings.output, "out");
	ck_assert(settings.quiet);

	ck_assert_int_eq(parse(&settings, &own, "--maybe=so -- --odd.trace"), OPTION_DONE);
	ck_assert_str_eq(own.maybe, "so");
	ck_assert_str_eq(settings.traces[0], "--odd.trace");
	ck_assert_uint_eq(settings.n_traces, 1);

	ck_assert_int_eq(parse(&settings, &own, "a -q b --process=7 --width=80"), OPTION_DONE);
	ck_assert_uint_eq(settings.n_traces, 2);
	ck_assert_str_eq(settings.traces[0], "a");
	ck_assert_str_eq(settings.traces[1], "b");
	ck_assert_uint_eq(settings.process, 7);
	ck_assert_uint_eq(settings.tables.width, 80);
}
END_TEST

START_TEST(wrong_options)
{
	static const char *const lines[] = { "",
					     "--wide=1 x",
					     "--size=0 x",
					     "--size=many x",
					     "--size",
					     "--kind=four x",
					     "--kind= x",
					     "--kind=on x",
					     "--nothing x",
					     "-z x",
					     "--flag=1 x",
					     "--format=xml x",
					     "--from=-1 x",
					     "--jobs=0 x",
					     "--threads=some x" };
	struct settings settings;
	struct own own;

	ck_assert_int_eq(parse(&settings, &own, lines[_i]), EXIT_USAGE);
}
END_TEST

/* Returns what --help prints. The caller frees it. */
static char *help_text(void)
{
	char *text = calloc(1, TEXT_SIZE);
	int kept = dup(STDOUT_FILENO), file = memfd_create("help", 0);
	struct settings settings;
	struct own own;

	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	ck_assert_int_eq(parse(&settings, &own, "--help"), EXIT_DONE);
	dup2(kept, STDOUT_FILENO);
	ck_assert_int_gt(pread(file, text, TEXT_SIZE - 1, 0), 0);
	close(kept);
	close(file);
	return text;
}

START_TEST(help)
{
	char *text = help_text();

	assert_has(text, "Usage: trace-own [OPTION]... TRACE...\nTake options.\n");
	assert_has(text, "  -s, --size=N              a count\n");
	assert_has(text, "      --maybe[=X]           with or without\n");
	assert_has(text, "\nExample: trace-own x.trace\n");
	assert_has(text, "its own");
	assert_has_not(text, "every N instructions");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analyzer-options");
	TCase *tests = tcase_create("command line");

	tcase_add_loop_test(tests, wrong_options, 0, 15);
	tcase_add_test(tests, options);
	tcase_add_test(tests, help);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
