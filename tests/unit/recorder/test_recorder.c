/* SPDX-License-Identifier: MIT */
/* Tests the recorder through nothing but its public header. */
#include <check.h>

#include "recorder/recorder.h"
#include "tests/unit/run_suite.h"

START_TEST(failures_before_the_program_runs)
{
	static char *const missing[] = { "/nonexistent/program", NULL };
	static char *const folder[] = { "/", NULL };
	static char *const fine[] = { "/bin/true", NULL };
	const struct {
		char *const *argv;
		const char *output, *backend;
		int status;
	} cases[] = {
		{ missing, "/dev/null", NULL, 127 },
		{ folder, "/dev/null", NULL, 126 },
		{ fine, "/nonexistent/x.trace", NULL, 125 },
		{ fine, "/dev/null", "no-such-backend", 125 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct record_options o = { .size = sizeof(o),
					    .argv = cases[i].argv,
					    .output = cases[i].output,
					    .backend = cases[i].backend };
		struct record_result result;
		struct tf_error error;

		ck_assert_int_lt(record_run(&o, &result, &error), 0);
		ck_assert_int_eq(result.exit_status, cases[i].status);
		ck_assert_str_ne(error.text, "");
	}
}
END_TEST

START_TEST(recorded_through_the_header_alone)
{
	static char *const argv[] = { "/bin/sh", "-c", "exit 3", NULL };
	struct record_options o = {
		.size = sizeof(o), .argv = argv, .output = "/dev/null", .count = 1000
	};
	struct record_result result;

	ck_assert_int_eq(record_run(&o, &result, NULL), 0);
	ck_assert_int_eq(result.exit_status, 3);
	ck_assert_uint_eq(result.instructions, 1000);
	ck_assert_uint_eq(result.threads, 1);
	ck_assert_str_eq(result.stop_reason, "count");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("recorder");
	TCase *run = tcase_create("run");

	tcase_add_test(run, failures_before_the_program_runs);
	tcase_add_test(run, recorded_through_the_header_alone);
	suite_add_tcase(suite, run);
	return run_suite(suite);
}
