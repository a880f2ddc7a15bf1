/* SPDX-License-Identifier: MIT */
/* trace-info. */
#include <check.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/cli/commands.h"
#include "tests/unit/run_suite.h"

START_TEST(info_json)
{
	json_t *info = run_json("info --format=json good.trace");
	struct stat file;

	ck_assert_int_eq(stat("good.trace", &file), 0);
	ck_assert_int_eq(number(info, "instructions"), 12);
	ck_assert_int_eq(number(info, "loads"), 1 + 4 + 1 + 1 + 4);
	ck_assert_int_eq(number(info, "stores"), 1 + 4 + 1 + 1 + 1);
	ck_assert_int_eq(number(info, "threads"), 2);
	ck_assert_int_eq(number(info, "processes"), 1);
	ck_assert_int_eq(number(info, "blocks_executed"), 3);
	ck_assert_int_eq(number(info, "bytes"), file.st_size);
	ck_assert_int_eq(number(info, "exit_signal"), 11);
	ck_assert(json_is_true(json_object_get(info, "complete")));
	ck_assert_str_eq(json_string_value(json_object_get(info, "created")),
			 "2023-11-14T22:13:20Z");
	ck_assert_str_eq(json_string_value(json_object_get(info, "command")), "e\033vil --now");
	json_decref(info);
}
END_TEST

/* Sums up the stored bytes of all rows of a table. */
static json_int_t sum(const json_t *table)
{
	json_int_t total = 0;
	const json_t *row;
	size_t i;

	json_array_foreach (table, i, row)
		total += number(row, "stored");
	return total;
}

START_TEST(info_sizes_add_up)
{
	json_t *info = run_json("info --format=json --columns good.trace");
	json_t *kinds = json_object_get(info, "section_kinds");
	const json_t *row;
	size_t i;

	ck_assert_int_eq(sum(kinds), number(info, "bytes"));
	json_array_foreach (kinds, i, row)
		if (!strcmp(json_string_value(json_object_get(row, "kind")), "CHUNK"))
			ck_assert_int_eq(number(row, "stored"),
					 sum(json_object_get(info, "columns")));
	json_decref(info);
}
END_TEST

START_TEST(info_lists)
{
	const struct result *result = run_command("info -tm --meta good.trace");

	ck_assert_int_eq(result->status, 0);
	expect_in(result->out, "process list:\n"
			       "process  pid  parent\n"
			       "      0  100  -\n");
	expect_in(result->out, "thread  process  tid  instructions  loads  stores  events\n"
			       "     0        0  100            10     10       7      19\n"
			       "     1        0  101             2      1       1       1\n");
	expect_in(result->out, "module  kind  size [bytes]  symbols  build id  path\n"
			       "     0  file        12,345        2  abcd      /bin/e\\x1bvil\n");
	expect_in(result->out, "command.argv  e\\x1bvil --now\n");
}
END_TEST

START_TEST(info_of_unfinished)
{
	json_t *info = run_json("info --format=json open.trace");
	const struct result *result = run_command("info --format=json open.trace");

	ck_assert_int_eq(result->status, 0);
	expect_in(result->err, "trace-info: open.trace: trace was not closed: ");
	expect_in(result->err, " sections usable, 12 instructions; 0 bytes lost\n");
	ck_assert(json_is_false(json_object_get(info, "complete")));
	ck_assert(json_is_null(json_object_get(info, "stop_reason")));
	ck_assert_int_eq(number(info, "instructions"), 12);
	json_decref(info);
}
END_TEST

START_TEST(info_refuses)
{
	const struct result *result = run_command("info nowhere.trace good.trace");

	ck_assert_int_eq(result->status, 1);
	expect_in(result->err, "nowhere.trace");
	expect_in(result->out, "good.trace");
	ck_assert_int_eq(run_command("info")->status, 2);
	ck_assert_int_eq(run_command("info --format=xml good.trace")->status, 2);
	result = run_command("info good.trace >/dev/full");
	ck_assert_int_eq(result->status, 1);
	expect_in(result->err, "No space left on device");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace-info");
	TCase *tests = tcase_create("commands");

	tcase_add_unchecked_fixture(tests, commands_begin, commands_end);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, info_json);
	tcase_add_test(tests, info_sizes_add_up);
	tcase_add_test(tests, info_lists);
	tcase_add_test(tests, info_of_unfinished);
	tcase_add_test(tests, info_refuses);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
