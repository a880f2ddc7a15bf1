/* SPDX-License-Identifier: MIT */
/* Tests that threads with a shadow stack are known by /proc/PID/status. */
#include <check.h>

#include "recorder/ptrace/altered_syscalls.h"
#include "tests/unit/run_suite.h"

START_TEST(lines_of_status)
{
	ck_assert(shadow_stack_is_reported("x86_Thread_features:\tshstk \n"));
	ck_assert(shadow_stack_is_reported("x86_Thread_features:\tshstk wrss \n"));
	ck_assert(!shadow_stack_is_reported("x86_Thread_features:\t\n"));
	ck_assert(!shadow_stack_is_reported("x86_Thread_features_locked:\tshstk \n"));
	ck_assert(!shadow_stack_is_reported("Name:\tshstk\n"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shadow stack");
	TCase *tests = tcase_create("told");

	tcase_add_test(tests, lines_of_status);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
