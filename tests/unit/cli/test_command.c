/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "cli/common/quantity.h"
#include "tests/scratch.h"
#include "tests/unit/run_suite.h"

/* Redirects stderr to a file from here on. Each test runs in a process of its own. */
static FILE *catch_stderr(void)
{
	FILE *file = scratch_stream();

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
	return file;
}

static void assert_caught(FILE *file, const char *expected)
{
	char text[1024];

	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	ck_assert_str_eq(text, expected);
}

START_TEST(counts)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "007", 7 },
		{ "12k", 12000 },
		{ "3M", 3000000 },
		{ "2G", 2000000000 },
		{ "1T", 1000000000000 },
		{ "1Ki", 1024 },
		{ "5Mi", 5 << 20 },
		{ "1Gi", 1 << 30 },
		{ "1Ti", 1ull << 40 },
		{ "18446744073709551615", UINT64_MAX },
		{ "16777215Ti", 16777215ull << 40 },
		{ "1K", 1000 },
		{ "1KB", 1000 },
		{ "1kB", 1000 },
		{ "1KiB", 1024 },
		{ "2kiB", 2048 },
		{ "1e6", 1000000 },
		{ "1E6", 1000000 },
		{ "1.5M", 1500000 },
		{ "1.50000000000000000000000000000M", 1500000 },
		{ "0.5k", 500 },
		{ "2.5e3", 2500 },
		{ "1.5Ki", 1536 },
		{ "1e+3", 1000 },
		{ "12.5e1k", 125000 },
		{ "1P", 1000000000000000 },
		{ "1E", 1000000000000000000 },
		{ "15Ei", 15ull << 60 },
		{ "1e19", 10000000000000000000ull },
		{ "0e99", 0 },
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		value = 42;
		ck_assert_msg(parse_count(good[i].text, &value), "%s", good[i].text);
		ck_assert_uint_eq(value, good[i].value);
	}
}
END_TEST

START_TEST(sizes)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "64", 64 },         { "64B", 64 },       { "32k", 32768 },   { "32K", 32768 },
		{ "32KB", 32768 },    { "32Ki", 32768 },   { "32KiB", 32768 }, { "32kib", 32768 },
		{ "1m", 1 << 20 },    { "1.5M", 3 << 19 }, { "1e6", 1000000 }, { "2g", 2ull << 30 },
		{ "1T", 1ull << 40 }, { "0.5kb", 512 },
	};
	static const char *const bad[] = { "", "K", "1.3K", "-1K", "1KK", "0x10", "16Ei", "1Kbi" };
	uint64_t value;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(parse_size(good[i].text, &value), "%s", good[i].text);
		ck_assert_uint_eq(value, good[i].value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!parse_size(bad[i], &value), "'%s'", bad[i]);
}
END_TEST

START_TEST(bad_counts)
{
	static const char *const bad[] = { "",
					   "k",
					   "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "0x10",
					   "1MM",
					   "1m",
					   "1g",
					   "1B",
					   "1.",
					   ".5",
					   "1.5",
					   "1.0005k",
					   "1.1Ki",
					   "1e",
					   "1e-3",
					   "1ee3",
					   "1kb",
					   "1Kib",
					   "1iB",
					   "1 k",
					   "1e20",
					   "1e99",
					   "1e99999999999999999999",
					   "nan",
					   "inf",
					   "1e6e6",
					   "1,000",
					   "20E",
					   "16Ei",
					   "1Bk",
					   "1KiBB",
					   "1Ki ",
					   "18446744073709551616",
					   "99999999999999999999",
					   "16777216Ti",
					   "18446744073709552k" };
	uint64_t value = 42;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!parse_count(bad[i], &value), "'%s'", bad[i]);
	ck_assert_uint_eq(value, 42);
}
END_TEST

START_TEST(seconds)
{
	double value;

	ck_assert(parse_seconds("2", &value));
	ck_assert_double_eq(value, 2);
	ck_assert(parse_seconds("0.25", &value));
	ck_assert_double_eq(value, 0.25);
}
END_TEST

START_TEST(bad_seconds)
{
	static const char *const bad[] = { "",    "0",   "0.0", "-1",  "+1", ".5", "1.", "1.2.3",
					   "1e3", "inf", "nan", "0x1", "1s", " 1", "1 " };
	double value = 42;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!parse_seconds(bad[i], &value), "'%s'", bad[i]);
	char huge[512] = "";

	memset(huge, '9', 400);
	ck_assert(!parse_seconds(huge, &value));
	ck_assert_double_eq(value, 42);
}
END_TEST

START_TEST(messages)
{
	FILE *caught = catch_stderr();

	command_init("trace-x");
	command_error("%s: no", "file");
	command_warning("careful");
	command_note("by the way");
	ck_assert_int_eq(command_usage_error("unknown '%s'", "y"), EXIT_USAGE);
	assert_caught(caught, "trace-x: error: file: no\n"
			      "trace-x: warning: careful\n"
			      "trace-x: by the way\n"
			      "trace-x: error: unknown 'y'\n"
			      "Try 'trace-x --help'.\n");
}
END_TEST

START_TEST(messages_are_harmless)
{
	FILE *caught = catch_stderr();

	command_init("trace-x");
	command_note("a\033[2Jb\nc");
	assert_caught(caught, "trace-x: a\\x1b[2Jb\\nc\n");
}
END_TEST

START_TEST(stdout_written)
{
	FILE *file = scratch_stream();

	ck_assert_int_ge(dup2(fileno(file), STDOUT_FILENO), 0);
	printf("result");
	ck_assert_int_eq(command_close_stdout(), EXIT_DONE);
	rewind(file);
	char text[16] = "";

	ck_assert_uint_eq(fread(text, 1, sizeof(text) - 1, file), 6);
	ck_assert_str_eq(text, "result");
}
END_TEST

START_TEST(stdout_full)
{
	FILE *caught = catch_stderr();

	command_init("trace-x");
	ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
	printf("result");
	ck_assert_int_eq(command_close_stdout(), EXIT_FAILED);
	assert_caught(caught, "trace-x: error: standard output: No space left on device; "
			      "results are incomplete\n");
}
END_TEST

START_TEST(version)
{
	FILE *file = scratch_stream();
	char text[256];

	ck_assert_int_ge(dup2(fileno(file), STDOUT_FILENO), 0);
	command_init("trace-x");
	command_version();
	fflush(stdout);
	rewind(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_str_eq(text, "trace-x (tracelab) " TRACELAB_VERSION "\n");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_ptr_nonnull(strstr(text, "trace format "));
	ck_assert_ptr_nonnull(strstr(text, "libtraceformat "));
}
END_TEST

START_TEST(progress_needs_a_terminal)
{
	FILE *caught = catch_stderr();
	struct progress progress;

	progress_begin(&progress, "reading", 10, false);
	ck_assert(!progress.active);
	progress.last_ns = 0;
	progress_update(&progress, 5);
	progress_end(&progress);
	assert_caught(caught, "");
}
END_TEST

START_TEST(progress_is_erased)
{
	FILE *caught = catch_stderr();
	struct progress progress;

	command_init("trace-x");
	progress_begin(&progress, "reading", 10, false);
	progress.active = true;
	progress.last_ns = 0;
	progress_update(&progress, 5);
	command_note("note");
	progress.last_ns = 0;
	progress_update(&progress, 10);
	progress_end(&progress);
	assert_caught(caught, "\r\033[Kreading 50 %\r\033[Ktrace-x: note\n"
			      "\r\033[Kreading 100 %\r\033[K");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("command");
	TCase *tests = tcase_create("command");

	tcase_add_test(tests, counts);
	tcase_add_test(tests, sizes);
	tcase_add_test(tests, bad_counts);
	tcase_add_test(tests, seconds);
	tcase_add_test(tests, bad_seconds);
	tcase_add_test(tests, messages);
	tcase_add_test(tests, messages_are_harmless);
	tcase_add_test(tests, stdout_written);
	tcase_add_test(tests, stdout_full);
	tcase_add_test(tests, version);
	tcase_add_test(tests, progress_needs_a_terminal);
	tcase_add_test(tests, progress_is_erased);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
