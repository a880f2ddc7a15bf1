/* SPDX-License-Identifier: MIT */
/* trace-verify and trace-repair. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cli/commands.h"
#include "tests/unit/cli/odd_trace.h"
#include "tests/unit/run_suite.h"

static void expect_state(const char *trace, const char *state, int status)
{
	char command[256];

	snprintf(command, sizeof(command), "verify --format=json %s", trace);
	json_t *root = run_json(command);
	const json_t *row = json_array_get(json_object_get(root, "traces"), 0);

	ck_assert_str_eq(json_string_value(json_object_get(row, "state")), state);
	json_decref(root);
	ck_assert_msg((run_command(command)->status == 0) == (status == 0), "%s", trace);
	ck_assert_msg((*run_command(command)->err == '\0') == (status == 0), "%s", trace);
}

static int lines_in(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

START_TEST(verify_states)
{
	expect_state("good.trace", "good", 0);
	expect_state("open.trace", "not closed", 1);
	expect_state("bad.trace", "damaged", 1);
	expect("verify -q good.trace", 0, "", "");
	/* Each damaged place is one fault. */
	ck_assert_int_eq(lines_in(run_command("verify -q bad.trace")->err), 1);
	ck_assert_int_eq(lines_in(run_command("verify -q open.trace")->err), 1);
	ck_assert_int_eq(run_command("verify good.trace bad.trace")->status, 1);
	ck_assert_int_eq(run_command("verify /etc/passwd good.trace")->status, 1);
	ck_assert_int_eq(run_command("verify")->status, 2);
}
END_TEST

/* A loss that only verification finds is counted as well, once. */
START_TEST(verify_counts_losses)
{
	static const char *const kinds[] = { "CHUNK", "META", "SYMBOLS", "BLOCKS", "END" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t lost = odd_trace_damage("lost.trace", kinds[i], false);
		json_t *root = run_json("verify --format=json lost.trace");
		const json_t *row = json_array_get(json_object_get(root, "traces"), 0);
		int faults = lines_in(run_command("verify -q lost.trace")->err);

		ck_assert_str_eq(json_string_value(json_object_get(row, "state")), "damaged");
		ck_assert_int_eq(number(row, "sections_lost"), !strcmp(kinds[i], "BLOCKS") ? 3 : 1);
		ck_assert_int_eq(number(row, "faults"), faults);
		if (strcmp(kinds[i], "BLOCKS")) { /* without blocks, chunks mean nothing */
			ck_assert_int_eq(faults, 1);
			ck_assert_int_eq(number(row, "bytes_lost"), (json_int_t)lost);
		}
		json_decref(root);
	}
	odd_trace_damage("lost.trace", "END", false);
	expect_in(run_command("info lost.trace")->err,
		  "trace-info: lost.trace: trace is damaged: ");
	expect("verify nowhere.trace", 1, "",
	       "trace-verify: error: nowhere.trace: No such file or directory\n");
}
END_TEST

/* A section with a copy is not lost if only one of the two is damaged. */
START_TEST(verify_names_restored)
{
	static const char *const kinds[] = {
		"META", "MODULES", "THREADS", "BLOCKS", "PATHS", "END"
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		odd_trace_damage("restored.trace", kinds[i], true);

		json_t *root = run_json("verify --format=json restored.trace");
		const json_t *row = json_array_get(json_object_get(root, "traces"), 0);

		ck_assert_str_eq(json_string_value(json_object_get(row, "state")), "damaged");
		ck_assert_int_eq(number(row, "faults"), 1);
		ck_assert_int_eq(number(row, "sections_lost"), 0);
		ck_assert_int_eq(number(row, "bytes_lost"), 0);
		json_decref(root);
		ck_assert_int_eq(run_command("verify -q restored.trace")->status, 1);
		expect_in(run_command("verify -q restored.trace")->err, "; its copy is whole");
		ck_assert_int_eq(run_command("dump restored.trace")->status, 0);
		expect_saved("dump restored.trace 2>/dev/null", "dump.text");
		expect_in(
			run_command("mix restored.trace")->err,
			"restored.trace: 1 section is damaged, and was read from its copy; trace-repair");
		ck_assert_int_eq(
			run_command("repair -q --force -o repaired.trace restored.trace")->status,
			0);
		expect_state("repaired.trace", "good", 0);
	}
}
END_TEST

/* Chunks that were removed show only in the totals. */
START_TEST(contradictions_are_told)
{
	static const char *const edits[] = { "drop:CHUNK", "drop:CHUNK:0",
					     "set:CHUNK:0:first:1000000", "set:CHUNK:1:first:5",
					     "varint:END:0:6:1:77" };

	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		char command[200];

		setenv("TESTS", commands_tests(), 1); /* whatever quotes the folder's name has */
		snprintf(command, sizeof(command),
			 "\"$TESTS\"/edit_trace good.trace edited.trace %s", edits[i]);
		ck_assert_int_eq(system(command), 0);
		ck_assert_int_eq(run_command("verify -q edited.trace")->status, 1);
		ck_assert_int_eq(run_command("info edited.trace")->status, 1);
		expect_in(run_command("info edited.trace")->err, "contradicts itself");
		ck_assert_int_eq(run_command("mix edited.trace")->status, 1);
		expect_in(run_command("mix edited.trace")->err, "contradicts itself");
	}
}
END_TEST

START_TEST(repair_makes_whole)
{
	ck_assert_int_eq(run_command("repair -o whole.trace open.trace")->status, 0);
	expect_state("whole.trace", "good", 0);
	expect_saved("dump whole.trace", "dump.text");
	ck_assert_int_eq(run_command("repair -o - open.trace | trace-verify -")->status, 0);
}
END_TEST

START_TEST(repair_says_what_is_lost)
{
	json_t *summary = run_json("repair --format=json -o rest.trace bad.trace");

	ck_assert_int_eq(number(summary, "sections_left_out"), 1);
	ck_assert_int_eq(number(summary, "instructions"), 2);
	ck_assert_int_eq(number(summary, "instructions_lost"), 10);
	json_decref(summary);
	expect_state("rest.trace", "good", 0);
}
END_TEST

START_TEST(repair_harms_nothing)
{
	ck_assert_int_eq(system("cp good.trace copy; ln -s copy link; echo keep >kept"), 0);
	ck_assert_int_eq(run_command("repair -o kept open.trace")->status, 1);
	ck_assert_int_eq(system("grep -q keep kept"), 0);
	ck_assert_int_eq(run_command("repair --force -o link copy")->status, 1);
	ck_assert_int_eq(run_command("repair --force -o copy - <copy")->status, 1);
	ck_assert_int_eq(system("cmp good.trace copy"), 0);
	ck_assert_int_eq(run_command("repair --force -o kept open.trace")->status, 0);
	expect_state("kept", "good", 0);
	ck_assert_int_eq(run_command("repair open.trace")->status, 2);
	ck_assert_int_eq(run_command("repair -o out")->status, 2);
	ck_assert_int_eq(run_command("repair -o nowhere/x open.trace")->status, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace-verify");
	TCase *tests = tcase_create("commands");

	tcase_add_unchecked_fixture(tests, commands_begin, commands_end);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, verify_states);
	tcase_add_test(tests, verify_counts_losses);
	tcase_add_test(tests, verify_names_restored);
	tcase_add_test(tests, contradictions_are_told);
	tcase_add_test(tests, repair_makes_whole);
	tcase_add_test(tests, repair_says_what_is_lost);
	tcase_add_test(tests, repair_harms_nothing);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
