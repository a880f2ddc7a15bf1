/* SPDX-License-Identifier: MIT */
/* The skeleton's tables of counts: rows, merging, sorting, names. */
#include <check.h>
#include <stdlib.h>

#include "analyzers/common/analyzer.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/synthetic.h"

static struct synthetic trace;
static struct tf_reader *reader;
static const struct tf_block *first, *second;

/* A trace with two blocks, the first in the function "near", the second in none. */
static void open_trace(void)
{
	const struct tf_symbol near = { .value = 0x401000, .size = 16, .kind = 2, .name = "near" };
	struct tf_error error;

	synthetic_begin(&trace, NULL);
	synthetic_ok(&trace,
		     tf_writer_add_symbols(trace.writer, trace.module, &near, 1, &trace.error));
	uint32_t thread = synthetic_thread(&trace, synthetic_process(&trace, 1));
	struct synthetic_code a = synthetic_code(&trace, 0x401000, BYTES("\xff\xc9\x75\xfc"));
	struct synthetic_code b = synthetic_code(&trace, 0x402000, BYTES("\xff\xc9\x75\xfc"));

	synthetic_exec(&trace, thread, a.taken, NULL);
	synthetic_end(&trace);
	ck_assert_int_eq(tf_open(trace.path, &reader, &error), 0);
	ck_assert_int_eq(tf_load(reader, &error), 0);
	first = tf_block(reader, a.block);
	second = tf_block(reader, b.block);
}

static void close_trace(void)
{
	tf_close(reader);
	synthetic_remove(&trace);
}

/* Adds to both counts of the row of an instruction. */
static void count(struct analyzer_table *t, uint32_t thread, const struct tf_block *block,
		  unsigned insn, uint64_t one, uint64_t other)
{
	uint64_t *counts = analyzer_table_at(t, thread, block, insn);

	counts[0] += one;
	counts[1] += other;
}

START_TEST(functions_are_merged_and_sorted)
{
	struct analyzer_table *t = analyzer_table_new(reader, ANALYZER_BY_FUNCTION, 2);
	struct analyzer_table *later = analyzer_table_new(reader, ANALYZER_BY_FUNCTION, 2);
	size_t n;

	count(t, 0, first, 0, 1, 20);
	count(t, 0, first, 1, 2, 0);
	count(later, 0, second, 0, 5, 1);
	count(later, 1, first, 1, 1, 1);
	analyzer_table_merge(t, later);

	const struct analyzer_row *rows = analyzer_table_rows(t, 0, &n);

	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(rows[0].name, "[unknown]");
	ck_assert_str_eq(rows[0].module, "synthetic");
	ck_assert_uint_eq(rows[0].counts[0], 5);
	ck_assert_str_eq(rows[1].name, "near");
	ck_assert_uint_eq(rows[1].counts[0], 4);
	ck_assert_uint_eq(rows[1].counts[1], 21);
	ck_assert_str_eq(analyzer_table_rows(t, 1, &n)[0].name, "near");
	analyzer_table_free(t);
	analyzer_table_free(later);
}
END_TEST

START_TEST(lines_without_files_are_one_row)
{
	struct analyzer_table *t = analyzer_table_new(reader, ANALYZER_BY_LINE, 2);
	size_t n;

	count(t, 0, first, 0, 1, 1);
	count(t, 0, second, 1, 1, 1);
	ck_assert_uint_eq(analyzer_table_rows(t, 0, &n)[0].counts[1], 2);
	ck_assert_uint_eq(n, 1);
	count(t, 0, second, 0, 1, 1);
	ck_assert_uint_eq(analyzer_table_rows(t, 0, &n)[0].counts[1], 3);
	analyzer_table_free(t);
}
END_TEST

START_TEST(cleared_rows_are_gone)
{
	struct analyzer_table *t = analyzer_table_new(reader, ANALYZER_BY_THREAD, 2);
	size_t n;

	count(t, 7, first, 0, 1, 1);
	analyzer_table_clear(t);
	count(t, 3, first, 0, 1, 1);
	ck_assert_uint_eq(analyzer_table_rows(t, 0, &n)[0].thread, 3);
	ck_assert_uint_eq(n, 1);
	analyzer_table_free(t);
}
END_TEST

START_TEST(names_grow_and_merge)
{
	struct analyzer_table *t = analyzer_table_new(reader, ANALYZER_BY_NAME, 1);
	struct analyzer_table *later = analyzer_table_new(reader, ANALYZER_BY_NAME, 1);
	char name[16];
	size_t n;

	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "name%u", i);
		analyzer_table_named(t, name)[0] += 1;
		analyzer_table_named(later, name)[0] += i;
	}
	analyzer_table_merge(t, later);

	const struct analyzer_row *rows = analyzer_table_rows(t, 0, &n);

	ck_assert_uint_eq(n, 1000);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "name%u", 999 - i);
		ck_assert_str_eq(rows[i].name, name);
		ck_assert_uint_eq(rows[i].counts[0], 1000 - i);
	}
	analyzer_table_free(t);
	analyzer_table_free(later);
}
END_TEST

START_TEST(report_has_columns_of_place)
{
	static const struct report_column columns[] = { { .name = "hits" }, { .name = "misses" } };
	struct analyzer_table *t = analyzer_table_new(reader, ANALYZER_BY_FUNCTION, 2);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report *report = report_begin(out, REPORT_CSV);

	count(t, 0, first, 0, 2, 3);
	count(t, 0, second, 0, 1, 1);
	analyzer_table_report(t, report, "places", columns, 0, 1);
	report_end(report);
	fclose(out);
	ck_assert_str_eq(text, "hits,misses,module,symbol\n2,3,synthetic,near\n");
	free(text);
	analyzer_table_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("table");
	TCase *cases = tcase_create("table");

	tcase_add_checked_fixture(cases, open_trace, close_trace);
	tcase_add_test(cases, functions_are_merged_and_sorted);
	tcase_add_test(cases, lines_without_files_are_one_row);
	tcase_add_test(cases, cleared_rows_are_gone);
	tcase_add_test(cases, names_grow_and_merge);
	tcase_add_test(cases, report_has_columns_of_place);
	suite_add_tcase(suite, cases);
	return run_suite(suite);
}
