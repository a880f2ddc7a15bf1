/* SPDX-License-Identifier: MIT */
/* Tables that are fitted to a width, names that are shortened, and tables one by one. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/brief_function.h"
#include "cli/common/command.h"
#include "cli/common/escape.h"
#include "cli/common/report_tables.h"
#include "cli/common/short_names.h"
#include "tests/unit/cli/report_text.h"

static void assert_written(struct report *report, const char *expected)
{
	end(report);
	assert_output(expected);
}

static const struct report_column columns[] = {
	{ "instructions", REPORT_U64, "" }, { "share", REPORT_F64, "%" },
	{ "stores", REPORT_U64, "" },       { "module", REPORT_STRING, "" },
	{ "symbol", REPORT_STRING, "" },    { NULL, 0, NULL },
};

static void fill(struct report *report)
{
	report_table(report, "symbols", columns);
	report_row(report, 1000u, 90.5, 30u, "libstdc++.so.6",
		   "std::vector<int, std::allocator<int>>::push_back(int const&)");
	report_row(report, 10u, 9.5, 3u, "libc.so.6", "malloc");
}

/* A table in a width, as text. */
static struct report *fitted(size_t width)
{
	struct report *report = begin(REPORT_TEXT);

	fill(report);
	report_fit(report, &(struct table_options){ .width = width }, out);
	return report;
}

START_TEST(no_width)
{
	struct report *report = begin(REPORT_TEXT);

	fill(report);
	report_fit(report, &(struct table_options){ 0 }, out);
	assert_written(report, "instructions  share [%]  stores  module          symbol\n"
			       "       1,000     90.500      30  libstdc++.so.6  "
			       "std::vector<int, std::allocator<int>>::push_back(int const&)\n"
			       "          10      9.500       3  libc.so.6       malloc\n");
}
END_TEST

START_TEST(wide)
{
	struct report *narrow = fitted(60);

	report_fit(narrow, &(struct table_options){ .width = 60, .wide = true }, out);
	end(narrow);
	ck_assert_ptr_nonnull(strstr(output, "push_back(int const&)\n"));
	free(output);
}
END_TEST

START_TEST(names_second)
{
	assert_written(fitted(200),
		       "instructions  symbol                                                      "
		       "  share [%]  stores  module\n"
		       "       1,000  std::vector<int, std::allocator<int>>::push_back(int const&)"
		       "     90.500      30  libstdc++.so.6\n"
		       "          10  malloc                                                      "
		       "      9.500       3  libc.so.6\n");
}
END_TEST

START_TEST(names_shortened)
{
	assert_written(fitted(76), "instructions  symbol                             "
				   "share  stores  module\n"
				   "                                                 "
				   "  [%]\n"
				   "       1,000  std::vector<...>::push_back(...)  "
				   "90.500      30  libs....so.6\n"
				   "          10  malloc                            "
				   " 9.500       3  libc.so.6\n");
}
END_TEST

/* Units stand below heads only if the table is too wide, and only those of columns that are shown. */
START_TEST(units_below)
{
	static const struct report_column with_units[] = {
		{ "name", REPORT_STRING, "" },
		{ "miss_ratio_percent", REPORT_U64, "" },
		{ "latency", REPORT_U64, "cycles" },
		{ "bytes_loaded", REPORT_U64, "bytes" },
		{ NULL, 0, NULL },
	};
	static const char one_line[] =
		"name  miss ratio percent  latency [cycles]  bytes loaded [bytes]\n"
		"a                      1                 2                     3\n";
	static const char two_lines[] = "name  miss ratio   latency  bytes loaded\n"
					"         percent  [cycles]       [bytes]\n"
					"a              1         2             3\n";

	for (size_t width = 40; width <= 64; width += 24) {
		struct report *report = begin(REPORT_TEXT);

		report_table(report, "rows", with_units);
		report_row(report, "a", (uint64_t)1, (uint64_t)2, (uint64_t)3);
		report_fit(report, &(struct table_options){ .width = width }, out);
		assert_written(report, width == 40 ? two_lines : one_line);
	}
}
END_TEST

START_TEST(columns_dropped)
{
	assert_written(fitted(54), "instructions  symbol          module\n"
				   "       1,000  ...::push_back  libs....so.6\n"
				   "          10  malloc          libc.so.6\n"
				   "(--wide also shows: share [%], stores)\n");
}
END_TEST

/* No line is longer than the width, and none is lost. */
START_TEST(every_width)
{
	for (size_t width = 26; width < 130; width++) {
		size_t lines = 0;

		end(fitted(width));
		for (char *rest = output, *line; (line = strsep(&rest, "\n")); lines++)
			ck_assert_msg(utf8_length(line) <= width, "%zu: %s", width, line);
		ck_assert_int_ge(lines, 4);
		free(output);
	}
}
END_TEST

/* ---- names ------------------------------------------------------------------------------- */

/* Facts with remarks, and meanings, go on in further lines. */
START_TEST(long_texts)
{
	struct report *report = begin(REPORT_TEXT);

	report_u64(report, "blocks", "", 12);
	report_remark(report, "5 %");
	report_u64(report, "cold", "blocks", 3);
	report_remark(report, "first touches of blocks by each thread, summed over threads");
	report_define(report, "cold", "touches of blocks that were never touched before");
	report_fit(report, &(struct table_options){ .width = 30 }, out);
	assert_written(report, "blocks  12  (5 %)\n"
			       "cold     3 blocks\n"
			       "  (first touches of blocks by\n"
			       "  each thread, summed over\n"
			       "  threads)\n"
			       "\n"
			       "legend:\n"
			       "name  meaning\n"
			       "cold  touches of blocks that\n"
			       "      were never touched\n"
			       "      before\n");
}
END_TEST

static void assert_short(const char *name, size_t width, const char *expected)
{
	char *shorter = shorten_name(name, width);

	ck_assert_str_eq(shorter, expected);
	free(shorter);
}

START_TEST(short_names)
{
	assert_short("malloc", 6, "malloc");
	assert_short("f(int, char const*)", 12, "f(...)");
	assert_short("a<b<c>>::f(std::map<int, int>)", 29, "a<b<c>>::f(...)");
	assert_short("a<b<ccccc>>::f(int, int)", 17, "a<...>::f(...)");
	assert_short("operator<<(std::ostream&, int)", 20, "operator<<(...)");
	assert_short("operator<< <char, Traits>(int)", 24, "operator<< <...>(int)");
	assert_short("<Vec<Option<i32>> as Drop>::drop", 31, "<Vec<...> as Drop>::drop");
	assert_short("X::operator()(int, int) const", 25, "X::operator()(...) const");
	assert_short("X::operator->*(int, int)", 20, "X::operator->*(...)");
	assert_short("(anonymous namespace)::run(int, long)", 33,
		     "(anonymous namespace)::run(...)");
	assert_short("a_very_long_function_name_in_C", 13, "a_ver..._in_C");
	assert_short("unclosed(((((<<<<", 10, "unc...<<<<");
	assert_short("   main_of_the_program", 12, "   mai...ram");
	assert_short("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 8,
		     "\xc3\xa4\xc3\xb6...\xc3\xa4\xc3\xb6\xc3\xbc");
}
END_TEST

static void assert_brief(char *(*brief)(const char *, size_t), const char *name, size_t width,
			 const char *expected)
{
	char *shorter = brief(name, width);

	ck_assert_str_eq(shorter, expected);
	free(shorter);
}

START_TEST(brief_functions)
{
	static const char loop[] = "void std::sort_loop<Iterator<int*>, long>(Iterator<int*>, "
				   "long) [clone .isra.0]";
	static const char *const of_loop[] = { "void std::sort_loop<...>(...) [clone .isra.0]",
					       "void std::sort_loop<...>(...)",
					       "void std::sort_loop<...>", "std::sort_loop<...>" };

	assert_brief(brief_function, loop, strlen(loop), loop);
	for (size_t i = 0; i < sizeof(of_loop) / sizeof(*of_loop); i++)
		assert_brief(brief_function, loop, strlen(of_loop[i]), of_loop[i]);
	assert_brief(brief_function, loop, 9, "std::sort_loop<...>");
	assert_brief(brief_function, "std::map<int, Key>::operator[](int const&)", 16,
		     "...::operator[]");
	assert_brief(brief_function, "X::operator()(int, int) const", 8, "X::operator()");
	assert_brief(brief_function, "std::ostream& std::operator<< <char>(char)", 16,
		     "...::operator<< <...>");
	assert_brief(brief_function, "<Vec<Option<T>> as Iterator>::next", 12, "...::next");
	assert_brief(brief_function, "(anonymous namespace)::run(int, long)", 12, "...::run");
	assert_brief(brief_function, "a C name with (brackets)", 8, "a C name with (brackets)");
	assert_brief(brief_function, "__memcpy_avx_unaligned_erms", 8,
		     "__memcpy_avx_unaligned_erms");
	assert_brief(brief_function, "/usr/include/c++/a (1)::b", 8, "/usr/include/c++/a (1)::b");
}
END_TEST

START_TEST(brief_paths)
{
	static const char path[] = "_start;main;std::fill<long>(long*, long);malloc";

	assert_brief(brief_path, path, strlen(path), path);
	assert_brief(brief_path, path, 31, "...;main;std::fill<...>;malloc");
	assert_brief(brief_path, path, 30, "...;main;std::fill<...>;malloc");
	assert_brief(brief_path, path, 29, "...;std::fill<...>;malloc");
	assert_brief(brief_path, path, 8, "...;malloc");
	assert_brief(brief_path, "f(int, int, int);g", 8, "f;g");
	assert_brief(brief_path, ";;;;;;;;;;;;;;;;;;;;", 8, "...;;;;;");
}
END_TEST

/* A hostile name takes no more time than an honest one. */
START_TEST(unclosed_names)
{
	enum { LENGTH = 1 << 20 };
	char *name = malloc(LENGTH + 1), *shorter;

	memset(name, '(', LENGTH);
	name[LENGTH] = '\0';
	shorter = shorten_name(name, 9);
	ck_assert_str_eq(shorter, "(((...(((");
	free(shorter);
	free(name);
}
END_TEST

START_TEST(unique_names)
{
	char *names[] = {
		strdup("f(int, int)"), strdup("f(char, char)"), strdup("f(int, int)"),
		strdup("f(...)"),      strdup("f(long, long)"),
	};
	static const char *const expected[] = { "f(...)~2", "f(...)~3", "f(...)~2", "f(...)",
						"f(...)~4" };

	shorten_names(names, 5, 1, 8, NAMES_OF_ANYTHING);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_str_eq(names[i], expected[i]);
		free(names[i]);
	}
}
END_TEST

/* ---- one table --------------------------------------------------------------------------- */

/* Two tables, facts before and behind them, and a legend. */
static struct report *several(enum report_format format)
{
	static const struct report_column one[] = { { "n", REPORT_U64, "bytes" },
						    { NULL, 0, NULL } };
	struct report *report = begin(format);

	report_u64(report, "first", "bytes", 1);
	report_text_table(report, "only_text", one);
	report_table(report, "sizes", one);
	report_row(report, 5u);
	report_data_table(report, "only_data", one);
	report_row(report, 6u);
	report_u64(report, "last", "", 2);
	report_define(report, "n", "a number");
	return report;
}

START_TEST(names_of_tables)
{
	static const char *const names[] = { "facts", "sizes", "only_data" };
	struct report *report = several(REPORT_CSV);

	ck_assert_uint_eq(report_count_tables(report), 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_str_eq(report_table_name(report, i), names[i]);
	report_write_table(report, 0, out);
	fflush(out);
	ck_assert_str_eq(output, "name,value,unit\nfirst,1,bytes\nlast,2,\n");
	report_write_table(report, 1, out);
	fflush(out);
	ck_assert_ptr_nonnull(strstr(output, "last,2,\nn [bytes]\n5\n"));
	report_free(report);
	fclose(out);
	free(output);
}
END_TEST

static void assert_selected(enum report_format format, const char *table, const char *expected)
{
	struct report *report = several(format);

	ck_assert_int_eq(report_select(report, table), 0);
	assert_written(report, expected);
}

START_TEST(selected)
{
	assert_selected(REPORT_CSV, "sizes", "n [bytes]\n5\n");
	assert_selected(REPORT_CSV, "facts", "name,value,unit\nfirst,1,bytes\nlast,2,\n");
	assert_selected(REPORT_TEXT, "facts", "first  1 byte\nlast   2\n");
	assert_selected(
		REPORT_JSON, "only_data",
		"{\n  \"only_data\": [\n    {\n      \"n\": 6\n    }\n  ],\n"
		"  \"units\": {\n    \"only_data\": {\n      \"n\": \"bytes\"\n    }\n  }\n}\n");
}
END_TEST

START_TEST(selected_nothing)
{
	struct report *report = several(REPORT_CSV);

	ck_assert_int_eq(report_select(report, "none"), EXIT_USAGE);
	report_free(report);
	fclose(out);
	free(output);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report_tables");
	TCase *tcase = tcase_create("report_tables");

	tcase_add_test(tcase, no_width);
	tcase_add_test(tcase, wide);
	tcase_add_test(tcase, names_second);
	tcase_add_test(tcase, names_shortened);
	tcase_add_test(tcase, units_below);
	tcase_add_test(tcase, columns_dropped);
	tcase_add_test(tcase, every_width);
	tcase_add_test(tcase, long_texts);
	tcase_add_test(tcase, short_names);
	tcase_add_test(tcase, brief_functions);
	tcase_add_test(tcase, brief_paths);
	tcase_add_test(tcase, unclosed_names);
	tcase_add_test(tcase, unique_names);
	tcase_add_test(tcase, names_of_tables);
	tcase_add_test(tcase, selected);
	tcase_add_test(tcase, selected_nothing);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
