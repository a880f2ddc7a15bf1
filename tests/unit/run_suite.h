/* SPDX-License-Identifier: MIT */
/* The end of every test program's main(). */
#ifndef RUN_SUITE_H
#define RUN_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>

/* Returns false under make check-full, as tests/lib.sh does. */
static inline bool is_quick(void)
{
	const char *full = getenv("FULL");

	return !full || !*full;
}

/* Runs the suite's tests and returns the program's exit status. */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
