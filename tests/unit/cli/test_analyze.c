/* SPDX-License-Identifier: MIT */
/* trace-analyze; and what all commands answer to --help and --version. */
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/cli/commands.h"
#include "tests/unit/run_suite.h"

static void write_script(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	fclose(file);
	ck_assert_int_eq(chmod(name, 0755), 0);
}

static void write_scripts(void)
{
	write_script("trace-sums", "# libtraceformat\n"
				   "[ \"$1\" = --summary ] && echo 'adds, up' || echo \"$0:$*:\"");
	write_script("trace-broken", "# libtraceformat\nexit 1");
	write_script("trace-foreign", "touch foreign-was-run");
}

START_TEST(analyze_list)
{
	write_scripts();
	const struct result *result = run_command("analyze --list --format=csv");
	char expected[PATH_MAX];

	snprintf(expected, sizeof(expected), "\nsums,\"adds, up\",%s/trace-sums\n",
		 commands_folder());
	ck_assert_int_eq(result->status, 0);
	ck_assert_int_eq(strncmp(result->out, "analyzer,summary,path\n", 22), 0);
	expect_in(result->out, expected);
	ck_assert_ptr_null(strstr(result->out, "\nbroken,"));
	ck_assert_ptr_null(strstr(result->out, "\nforeign,"));
	ck_assert_ptr_null(strstr(result->out, "\ninfo,"));
	ck_assert_int_ne(access("foreign-was-run", F_OK), 0);
	ck_assert_int_eq(run_command("analyze --list extra")->status, 2);
}
END_TEST

START_TEST(analyze_runs)
{
	char expected[PATH_MAX];

	write_scripts();
	snprintf(expected, sizeof(expected), "%s/trace-sums:--top=3 x.trace:\n", commands_folder());
	expect("analyze sums --top=3 x.trace", 0, expected, "");
	ck_assert_int_eq(run_command("analyze broken")->status, 1);
}
END_TEST

START_TEST(analyze_refuses)
{
	write_scripts();
	const struct result *result = run_command("analyze smus x.trace");

	ck_assert_int_eq(result->status, 2);
	expect_in(result->err, "there is no analyzer 'smus'; did you mean 'sums'?\n");
	ck_assert_int_eq(run_command("analyze foreign")->status, 2);
	ck_assert_int_ne(access("foreign-was-run", F_OK), 0);
	result = run_command("analyze info good.trace");
	ck_assert_int_eq(result->status, 2);
	expect_in(result->err, "run trace-info");
	ck_assert_int_eq(run_command("analyze")->status, 2);
}
END_TEST

/* ------------------------------------------------------------------------------------------ */

START_TEST(help_and_version)
{
	static const char *const commands[] = { "info", "dump", "verify", "repair", "analyze" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char command[64], expected[64];

		snprintf(command, sizeof(command), "%s --help", commands[i]);
		snprintf(expected, sizeof(expected), "Usage: trace-%s ", commands[i]);
		const struct result *result = run_command(command);

		ck_assert_int_eq(result->status, 0);
		ck_assert_str_eq(result->err, "");
		ck_assert_int_eq(strncmp(result->out, expected, strlen(expected)), 0);
		snprintf(command, sizeof(command), "%s --version", commands[i]);
		snprintf(expected, sizeof(expected), "trace-%s (tracelab) ", commands[i]);
		result = run_command(command);
		ck_assert_int_eq(result->status, 0);
		ck_assert_int_eq(strncmp(result->out, expected, strlen(expected)), 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace-analyze");
	TCase *tests = tcase_create("commands");

	tcase_add_unchecked_fixture(tests, commands_begin, commands_end);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, analyze_list);
	tcase_add_test(tests, analyze_runs);
	tcase_add_test(tests, analyze_refuses);
	tcase_add_test(tests, help_and_version);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
