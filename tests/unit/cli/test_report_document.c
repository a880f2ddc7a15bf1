/* SPDX-License-Identifier: MIT */
/* The parts of trace-report that need no trace: intervals, the summary, advice, and the bound on the size. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/json_values.h"
#include "cli/common/write_page.h"
#include "cli/report/advice.h"
#include "cli/report/phases.h"
#include "cli/report/reduce.h"
#include "cli/report/shape.h"
#include "cli/report/summary.h"
#include "tests/unit/run_suite.h"

/* Returns JSON that is written with single quotes. */
static json_t *parse(const char *text)
{
	char *quoted = strdup(text);
	json_t *value;

	for (char *at = quoted; (at = strchr(at, '\''));)
		*at = '"';
	value = json_loads(quoted, 0, NULL);
	ck_assert_ptr_nonnull(value);
	free(quoted);
	return value;
}

/* ---- intervals ------------------------------------------------------------------------------ */

static struct phase_plan plan_of(const char *text)
{
	json_t *info = parse(text);
	struct phase_plan plan = plan_phases(info);

	json_decref(info);
	return plan;
}

/* Every length gives round intervals, at most MOST_INTERVALS of them and not far fewer. */
START_TEST(plans_intervals)
{
	for (uint64_t length = 1; length < UINT64_C(1) << 50; length += length / 3 + 1) {
		char text[200];
		uint64_t digit;

		snprintf(text, sizeof(text),
			 "{'thread_list': [{'thread': 0, 'instructions': %" PRIu64 "}]}", length);
		struct phase_plan plan = plan_of(text);

		ck_assert_uint_gt(plan.interval, 0);
		ck_assert_uint_lt(length / plan.interval, MOST_INTERVALS);
		if (plan.interval > 1)
			ck_assert_uint_ge(length / plan.interval, MOST_INTERVALS * 2 / 5);
		for (digit = plan.interval; digit % 10 == 0;)
			digit /= 10;
		ck_assert(digit == 1 || digit == 2 || digit == 5);
		ck_assert(!plan.one_of_many);
	}
}
END_TEST

START_TEST(plans_thread)
{
	struct phase_plan plan = plan_of("{'thread_list': [{'thread': 0, 'instructions': 5},"
					 "{'thread': 7, 'instructions': 9000},"
					 "{'thread': 8, 'instructions': 8999}]}");

	ck_assert(plan.one_of_many && plan.thread == 7 && plan.interval == 20);
	plan = plan_of("{'vector_interval_size': 10000, 'vector_instructions': 355341}");
	ck_assert(plan.interval == 10000 && !plan.one_of_many);
	plan = plan_of("{'vector_interval_size': 700, 'vector_instructions': 700000}");
	ck_assert_uint_eq(plan.interval, 1400);
	ck_assert_uint_eq(plan_of("{'thread_list': []}").interval, 0);
	ck_assert_uint_eq(plan_of("{}").interval, 0);
}
END_TEST

/* ---- the summary ---------------------------------------------------------------------------- */

static void expect_summary(const char *document, const char *expected)
{
	json_t *value = parse(document);
	char *summary = summary_of(value);

	ck_assert_str_eq(summary, expected);
	free(summary);
	json_decref(value);
}

START_TEST(summarizes)
{
	expect_summary(
		"{'traces': [{'command': 'a b', 'instructions': 1234567, 'threads': 1, "
		"'processes': 1}], 'results': {'mix': {'symbols': [{'symbol': 'f', "
		"'module': 'm', 'share_percent': 61.4}]}, 'mica': {'footprint': "
		"{'data_blocks': 48}}}}",
		"a b executed 1,234,567 instructions in one thread, 61 % of them in f (m), and "
		"touched 3.0 KiB of data.");
	expect_summary("{'traces': [{'command': 'x', 'instructions': 1, 'threads': 5, "
		       "'processes': 2}], 'results': {'mix': {'symbols': [{'symbol': 'f', "
		       "'module': 'm', 'share_percent': 4}]}}}",
		       "x executed 1 instruction in 5 threads of 2 processes.");
	expect_summary("{'traces': [{'vector_instructions': 20, 'threads': 1}]}",
		       "The program executed 20 instructions in one thread.");
	expect_summary("{'traces': [{'command': 'x', 'instructions': 9}], 'results': {'mix': "
		       "{'symbols': [{'symbol': '[unknown]', 'module': '[no file]', "
		       "'share_percent': 100}]}}}",
		       "x executed 9 instructions.");
	expect_summary("{'traces': [{'command': 'python3 -c 1234567890123456789012345678901234567"
		       "89012345678901234567890123456789012345678901234567890', 'instructions': "
		       "9}]}",
		       "python3 -c 123456789012345678901234567...2345678901234567890123456789012345"
		       "67890 executed 9 instructions.");
	expect_summary("{'traces': [{'command': 'x', 'instructions': 0}]}",
		       "x was recorded by samples.");
}
END_TEST

/* ---- advice --------------------------------------------------------------------------------- */

static const char *text_of(const json_t *list, size_t i, const char *member)
{
	return json_read_text(json_array_get(list, i), member);
}

/*
 * 1 M cycles: reuses lose 500,000; 20,000 mispredictions at 15 cycles are 300,000; 500 system calls
 * at 400 are 200,000; 10,000 divisions at 15 are 150,000. The fourth is left out.
 */
START_TEST(advises)
{
	json_t *document = parse(
		"{'traces': [{'instructions': 5}], 'commands': {'slo': 'trace-slo x', 'ppm': "
		"'trace-ppm x', 'syscalls': 'trace-calls --syscalls x'}, 'results': {'ibs': "
		"{'cycles_of_all_threads': 1000000, 'by_symbol': [{'symbol': 'f', 'mispredicted': 3}, "
		"{'symbol': 'g', 'mispredicted': 4}]}, 'slo': {'refactorings': [{'advice': 'tile the "
		"loop', 'reuses': 7, 'lost_cycles': 500000}]}, 'mica': {'ppm': {'branches': 100000, "
		"'gas_12': 20000}}, 'mix': {'syscalls': 500, 'mnemonics': [{'mnemonic': 'idiv', "
		"'instructions': 4000}, {'mnemonic': 'div', 'instructions': 6000}]}, 'syscalls': "
		"{'system_calls': [{'system_call': 'read', 'calls': 400}]}}}");
	json_t *advice = advice_of(document);

	ck_assert_uint_eq(json_array_size(advice), MOST_ADVICE);
	ck_assert_str_eq(text_of(advice, 0, "text"), "Tile the loop");
	ck_assert_str_eq(text_of(advice, 0, "command"), "trace-slo x");
	ck_assert_uint_eq(json_integer_value(json_object_get(json_array_get(advice, 0), "number")),
			  500000);
	ck_assert_double_eq_tol(json_read_real(json_array_get(advice, 0), "share_percent"), 50,
				1e-9);
	ck_assert_str_eq(text_of(advice, 1, "section"), "ppm");
	ck_assert_ptr_nonnull(strstr(text_of(advice, 1, "text"), "first in g"));
	ck_assert_ptr_nonnull(strstr(text_of(advice, 1, "why"), "20,000 branches, 20.0 % of all"));
	ck_assert_double_eq_tol(json_read_real(json_array_get(advice, 1), "share_percent"), 30,
				1e-9);
	ck_assert_ptr_nonnull(
		strstr(text_of(advice, 2, "why"), "500 system calls, 400 of them read"));
	ck_assert_double_eq_tol(json_read_real(json_array_get(advice, 2), "share_percent"), 20,
				1e-9);
	json_decref(advice);
	json_decref(document);
}
END_TEST

/* Instructions of the allocator and the dynamic linker are counted exactly; little is not advised. */
START_TEST(advises_by_instructions)
{
	json_t *document = parse(
		"{'traces': [{'instructions': 1000}], 'results': {'heap': {'allocations': 9, "
		"'allocation_paths': [{'short_lived': 2}, {'short_lived': 3}]}, 'mix': "
		"{'instructions': 1000, 'syscalls': 0, 'symbols': [{'symbol': 'malloc@@GLIBC_2.2.5', "
		"'instructions': 100}, {'symbol': 'mallocate', 'instructions': 600}, {'symbol': "
		"'operator new(unsigned long)', 'instructions': 50}], 'modules': [{'module': "
		"'ld-linux-x86-64.so.2', 'instructions': 9}], 'classes': [{'class': 'atomic', "
		"'instructions': 10}]}}}");
	json_t *advice = advice_of(document);

	ck_assert_uint_eq(json_array_size(advice), 2);
	ck_assert_str_eq(text_of(advice, 0, "unit"), "atomic instructions");
	ck_assert_double_eq_tol(json_read_real(json_array_get(advice, 0), "share_percent"), 18,
				1e-9);
	ck_assert_str_eq(text_of(advice, 1, "section"), "heap");
	ck_assert_str_eq(text_of(advice, 1, "exactness"), "exact");
	ck_assert_double_eq_tol(json_read_real(json_array_get(advice, 1), "share_percent"), 15,
				1e-9);
	ck_assert_ptr_nonnull(strstr(text_of(advice, 1, "why"),
				     "makes 9 allocations, at least 5 of them short-lived."));
	json_decref(advice);
	json_decref(document);
	document = parse("{'results': {}}");
	advice = advice_of(document);
	ck_assert_uint_eq(json_array_size(advice), 0);
	json_decref(advice);
	json_decref(document);
}
END_TEST

/* ---- the size ------------------------------------------------------------------------------- */

/* Adds a chain of calls; sixteen of each have the same number of instructions. Each calls a leaf, too. */
static void add_tree(json_t *results, unsigned depth)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < depth; i++) {
		json_element(rows, json_pack("{s:i, s:i, s:i}", "path", (int)(2 * i + 1), "caller",
					     (int)(i ? 2 * i - 1 : 0), "inclusive_instructions",
					     (int)(10 * (1 + (depth - i) / 16))));
		json_element(rows, json_pack("{s:i, s:i, s:i}", "path", (int)(2 * i + 2), "caller",
					     (int)(2 * i + 1), "inclusive_instructions", 1));
	}
	json_member(results, "tree", rows);
}

/* All callers of the rows that are left are left, and no row with more instructions is gone. */
static void check_tree(const json_t *rows, size_t depth)
{
	size_t n = json_array_size(rows);

	ck_assert_uint_lt(n, 2 * depth);
	for (size_t i = 0; i < n; i++) {
		const json_t *row = json_array_get(rows, i);
		uint64_t caller, path;

		ck_assert(json_read_number(row, "caller", &caller));
		ck_assert(json_read_number(row, "path", &path));
		ck_assert_uint_eq(path, 2 * i + 1);
		ck_assert_uint_eq(caller, i ? 2 * i - 1 : 0);
	}
}

START_TEST(reduces)
{
	enum { DEPTH = 2500, ROWS = 9000, NAME = 100000 };
	json_t *document = json_object(), *results = json_object(), *table = json_array(),
	       *lines = json_array();
	char *name = malloc(NAME + 1);
	const json_t *row;
	uint64_t number;

	memset(name, 'x', NAME);
	name[NAME] = '\0';
	memcpy(name + 1, "\xc3\xa9", 2);
	json_member(document, "results", results);
	add_tree(results, DEPTH);
	for (unsigned i = 0; i < ROWS; i++)
		json_element(table,
			     json_pack("{s:i, s:s}", "row", (int)i, "name", i ? "<&>" : name));
	json_member(results, "table", table);
	for (unsigned i = 0; i < 20 * ROWS; i++)
		json_element(lines, json_pack("[i, s]", (int)i, "line"));
	json_member(results, "lines", lines);
	reduce_document(document, 100000);
	ck_assert_uint_le(document_size(document), 100000);
	check_tree(json_object_get(results, "tree"), DEPTH);
	table = json_object_get(results, "table");
	ck_assert_uint_gt(json_array_size(table), 25);
	for (size_t i = 0; i < json_array_size(table); i++) {
		ck_assert(json_read_number(json_array_get(table, i), "row", &number));
		ck_assert_uint_eq(number, i);
	}
	row = json_array_get(table, 0);
	ck_assert_uint_lt(strlen(json_read_text(row, "name")), 4100);
	ck_assert_ptr_nonnull(strstr(json_read_text(row, "name"), "\xe2\x80\xa6"));
	ck_assert(json_read_number(json_object_get(document, "cut"), "results.table", &number));
	ck_assert_uint_eq(number, ROWS);
	ck_assert(json_read_number(json_object_get(document, "cut"), "results.tree", &number));
	ck_assert_uint_eq(number, 2 * DEPTH);
	json_decref(document);
	free(name);
}
END_TEST

START_TEST(keeps_small)
{
	json_t *document = parse("{'results': {'a': [{'b': 1}], 'c': 'd'}}");
	json_t *same = json_deep_copy(document);

	reduce_document(document, 100000);
	ck_assert(json_equal(document, same));
	json_decref(document);
	json_decref(same);
}
END_TEST

/* ---- threads, curves ------------------------------------------------------------------------ */

START_TEST(shapes)
{
	json_t *results = parse(
		"{'stackdist': {'caches': [1]}, 'calls': {'call_paths': []}, 'calls_by_thread': "
		"{'call_paths': [{'path': 1, 'caller': 0, 'depth': 1, 'function': '[thread 1]'}, "
		"{'path': 2, 'caller': 1, 'depth': 2, 'function': 'f'}, {'path': 3, 'caller': 2, "
		"'depth': 3, 'function': 'g'}, {'path': 4, 'caller': 0, 'depth': 1, 'function': "
		"'[other paths]'}, {'path': 5, 'caller': 4, 'depth': 2, 'function': 'f'}, "
		"{'path': 6, 'caller': 0, 'depth': 1, 'function': '[thread 0]'}]}}");
	json_t *expected = parse(
		"{'stackdist': {'miss_ratio_curve': [1]}, 'calls': {'call_paths': [], 'threads': "
		"[{'thread': 1, 'call_paths': [{'path': 2, 'caller': 0, 'depth': 1, "
		"'function': 'f'}, {'path': 3, 'caller': 2, 'depth': 2, 'function': 'g'}]}, "
		"{'thread': 0, 'call_paths': []}]}}");

	shape_results(results);
	ck_assert(json_equal(results, expected));
	json_decref(results);
	json_decref(expected);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_document");
	TCase *tcase = tcase_create("report_document");

	tcase_add_test(tcase, plans_intervals);
	tcase_add_test(tcase, plans_thread);
	tcase_add_test(tcase, summarizes);
	tcase_add_test(tcase, advises);
	tcase_add_test(tcase, advises_by_instructions);
	tcase_add_test(tcase, reduces);
	tcase_add_test(tcase, keeps_small);
	tcase_add_test(tcase, shapes);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
