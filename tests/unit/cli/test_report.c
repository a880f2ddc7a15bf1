/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <signal.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/escape.h"
#include "cli/common/json_values.h"
#include "tests/unit/cli/report_text.h"

static const struct report_column columns[] = {
	{ "name", REPORT_STRING, "" },
	{ "stored_bytes", REPORT_U64, "" },
	{ "share", REPORT_F64, "%" },
	{ "pc", REPORT_HEX, "" },
	{ NULL, 0, NULL },
};

/* Fills the report that all formats print. */
static void fill(struct report *report)
{
	report_u64(report, "instructions", "", 1234567);
	report_f64(report, "mean_length", "bytes", 3.25);
	report_bool(report, "complete", true);
	report_string(report, "program", "/bin/ls");
	report_table(report, "sections", columns);
	report_row(report, "CHUNK", (uint64_t)1000, 99.5, (uint64_t)0x401000);
	report_row(report, "META", (uint64_t)5, 0.5, (uint64_t)0);
}

START_TEST(text)
{
	struct report *report = begin(REPORT_TEXT);

	fill(report);
	report_u64(report, "after", "s", 7);
	end(report);
	assert_output("instructions  1,234,567\n"
		      "mean length       3.250 bytes\n"
		      "complete      yes\n"
		      "program       /bin/ls\n"
		      "\n"
		      "sections:\n"
		      "name   stored bytes  share [%]        pc\n"
		      "CHUNK         1,000     99.500  0x401000\n"
		      "META              5      0.500       0x0\n"
		      "\n"
		      "after  7 s\n");
}
END_TEST

/* Numbers used as names, and units in the singular. */
START_TEST(text_of_names_and_of_one)
{
	struct report *report = begin(REPORT_TEXT);

	static const struct report_column with_names[] = {
		{ "pid", REPORT_ID, "" },
		{ "bytes", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};

	report_id(report, "seed", 12345);
	report_u64(report, "lost", "samples", 1);
	report_u64(report, "reads", "accesses", 1);
	report_u64(report, "writes", "accesses", 2);
	report_u64(report, "after", "s", 1);
	report_table(report, "processes", with_names);
	report_row(report, (uint64_t)4321, (uint64_t)4321);
	end(report);
	assert_output("seed    12345\n"
		      "lost        1 sample\n"
		      "reads       1 access\n"
		      "writes      2 accesses\n"
		      "after       1 s\n"
		      "\n"
		      "processes:\n"
		      " pid  bytes\n"
		      "4321  4,321\n");
}
END_TEST

START_TEST(text_without_unknown_columns)
{
	struct report *report = begin(REPORT_TEXT);

	static const struct report_column with_unknown[] = {
		{ "name", REPORT_STRING, "" },
		{ "share", REPORT_F64, "%" },
		{ "pc", REPORT_HEX, "" },
		{ "mean", REPORT_F64, "cycles" },
		{ NULL, 0, NULL },
	};

	report_table(report, "sections", with_unknown);
	report_row(report, "CHUNK", (double)NAN, (uint64_t)1, (double)NAN);
	report_row(report, "META", (double)NAN, (uint64_t)2, (double)NAN);
	end(report);
	assert_output("name    pc\n"
		      "CHUNK  0x1\n"
		      "META   0x2\n");
}
END_TEST

START_TEST(changes)
{
	static const struct report_column of_change[] = {
		{ "change", REPORT_CHANGE, "" },
		{ NULL, 0, NULL },
	};
	static const char *const expected[] = {
		[REPORT_TEXT] = "change\n+1,234\n-2,000\n     0\n",
		[REPORT_JSON] =
			"{\n  \"changes\": [\n    {\n      \"change\": 1234\n    },\n    {\n"
			"      \"change\": -2000\n    },\n    {\n      \"change\": 0\n"
			"    }\n  ]\n}\n",
		[REPORT_CSV] = "change\n1234\n-2000\n0\n",
	};

	for (enum report_format format = REPORT_TEXT; format <= REPORT_CSV; format++) {
		struct report *report = begin(format);

		report_table(report, "changes", of_change);
		report_row(report, (int64_t)1234);
		report_row(report, (int64_t)-2000);
		report_row(report, (int64_t)0);
		end(report);
		assert_output(expected[format]);
	}
}
END_TEST

START_TEST(json)
{
	struct report *report = begin(REPORT_JSON);

	fill(report);
	end(report);
	assert_output("{\n"
		      "  \"instructions\": 1234567,\n"
		      "  \"mean_length\": 3.25,\n"
		      "  \"complete\": true,\n"
		      "  \"program\": \"/bin/ls\",\n"
		      "  \"sections\": [\n"
		      "    {\n"
		      "      \"name\": \"CHUNK\",\n"
		      "      \"stored_bytes\": 1000,\n"
		      "      \"share\": 99.5,\n"
		      "      \"pc\": \"0x401000\"\n"
		      "    },\n"
		      "    {\n"
		      "      \"name\": \"META\",\n"
		      "      \"stored_bytes\": 5,\n"
		      "      \"share\": 0.5,\n"
		      "      \"pc\": \"0x0\"\n"
		      "    }\n"
		      "  ],\n"
		      "  \"units\": {\n"
		      "    \"mean_length\": \"bytes\",\n"
		      "    \"sections\": {\n"
		      "      \"share\": \"%\"\n"
		      "    }\n"
		      "  }\n"
		      "}\n");
}
END_TEST

START_TEST(csv)
{
	struct report *report = begin(REPORT_CSV);

	fill(report);
	end(report);
	assert_output("name,value,unit\n"
		      "instructions,1234567,\n"
		      "mean_length,3.25,bytes\n"
		      "complete,true,\n"
		      "program,/bin/ls,\n"
		      "\n"
		      "# sections\n"
		      "name,stored_bytes,share [%],pc\n"
		      "CHUNK,1000,99.5,0x401000\n"
		      "META,5,0.5,0x0\n");
}
END_TEST

static void one_table(enum report_format format)
{
	struct report *report = begin(format);

	report_table(report, "sections", columns);
	report_row(report, "CHUNK", (uint64_t)1000, 99.5, (uint64_t)0x401000);
	end(report);
}

static void defined(enum report_format format, bool has_facts)
{
	struct report *report = begin(format);

	report_define(report, "stored_bytes", "bytes, of which some are lost");
	if (has_facts)
		report_u64(report, "stored_bytes", "", 3);
	else
		report_table(report, "sections", columns);
	end(report);
}

START_TEST(legend)
{
	defined(REPORT_TEXT, true);
	assert_output("stored bytes  3\n"
		      "\n"
		      "legend:\n"
		      "name          meaning\n"
		      "stored bytes  bytes, of which some are lost\n");
	defined(REPORT_JSON, true);
	assert_output("{\n"
		      "  \"stored_bytes\": 3,\n"
		      "  \"legend\": {\n"
		      "    \"stored_bytes\": \"bytes, of which some are lost\"\n"
		      "  }\n"
		      "}\n");
	defined(REPORT_CSV, true);
	assert_output("name,value,unit\n"
		      "stored_bytes,3,\n"
		      "\n"
		      "# stored_bytes: bytes, of which some are lost\n");
	defined(REPORT_CSV, false);
	assert_output("name,stored_bytes,share [%],pc\n");
}
END_TEST

START_TEST(rows_of_counts)
{
	static const struct report_column counts[] = {
		{ "thread", REPORT_STRING, "" },
		{ "reads", REPORT_U64, "accesses" },
		{ "writes", REPORT_U64, "accesses" },
		{ NULL, 0, NULL },
	};
	struct report *report = begin(REPORT_CSV);

	report_table(report, "threads", counts);
	report_row_of_counts(report, "0", (const uint64_t[]){ 3, 4 });
	report_table(report, "all", counts + 1);
	report_row_of_counts(report, NULL, (const uint64_t[]){ 3, 4 });
	end(report);
	assert_output("# threads\nthread,reads [accesses],writes [accesses]\n0,3,4\n\n"
		      "# all\nreads [accesses],writes [accesses]\n3,4\n");
}
END_TEST

START_TEST(other_form)
{
	struct report *report = begin(REPORT_CSV);
	char *written;
	size_t size;
	FILE *other = open_memstream(&written, &size);

	report_u64(report, "reads", "accesses", 3);
	report_write(report, other, REPORT_JSON);
	end(report);
	fclose(other);
	ck_assert_str_eq(
		written,
		"{\n  \"reads\": 3,\n  \"units\": {\n    \"reads\": \"accesses\"\n  }\n}\n");
	free(written);
	assert_output("name,value,unit\nreads,3,accesses\n");
}
END_TEST

START_TEST(one_table_is_plain)
{
	one_table(REPORT_CSV);
	assert_output("name,stored_bytes,share [%],pc\n"
		      "CHUNK,1000,99.5,0x401000\n");
	one_table(REPORT_TEXT);
	assert_output("name   stored bytes  share [%]        pc\n"
		      "CHUNK         1,000     99.500  0x401000\n");
}
END_TEST

START_TEST(empty)
{
	struct report *report = begin(REPORT_JSON);

	report_table(report, "sections", columns);
	end(report);
	assert_output("{\n  \"sections\": [],\n  \"units\": {\n    \"sections\": {\n"
		      "      \"share\": \"%\"\n    }\n  }\n}\n");
	report = begin(REPORT_CSV);
	report_table(report, "sections", columns);
	end(report);
	assert_output("name,stored_bytes,share [%],pc\n");
	end(begin(REPORT_TEXT));
	assert_output("");
	end(begin(REPORT_JSON));
	assert_output("{}\n");
}
END_TEST

START_TEST(separators)
{
	static const struct {
		uint64_t value;
		const char *text;
	} numbers[] = {
		{ 0, "n  0\n" },
		{ 999, "n  999\n" },
		{ 1000, "n  1,000\n" },
		{ 123456, "n  123,456\n" },
		{ UINT64_MAX, "n  18,446,744,073,709,551,615\n" },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct report *report = begin(REPORT_TEXT);

		report_u64(report, "n", "", numbers[i].value);
		end(report);
		assert_output(numbers[i].text);
	}
}
END_TEST

START_TEST(doubles)
{
	struct report *report = begin(REPORT_TEXT);

	report_f64(report, "a", "", -1234567.5);
	report_f64(report, "b", "", 0);
	report_f64(report, "c", "", 0.0000123);
	report_f64(report, "d", "", 999999999999.9996);
	report_f64(report, "e", "", 1e30);
	report_f64(report, "f", "", NAN);
	report_f64(report, "g", "", -0.000189);
	report_f64(report, "h", "", 0.00099996);
	report_f64(report, "i", "", 1.5e-20);
	end(report);
	assert_output("a         -1,234,567.500\n"
		      "b                  0.000\n"
		      "c              0.0000123\n"
		      "d  1,000,000,000,000.000\n"
		      "e                  1e+30\n"
		      "f                      -\n"
		      "g              -0.000189\n"
		      "h               0.001000\n"
		      "i               1.50e-20\n");
}
END_TEST

START_TEST(unknown_values)
{
	struct report *report = begin(REPORT_JSON);

	report_f64(report, "ratio", "", NAN);
	report_f64(report, "endless", "", INFINITY);
	report_string(report, "name", NULL);
	end(report);
	assert_output("{\n  \"ratio\": null,\n  \"endless\": null,\n  \"name\": null\n}\n");
	report = begin(REPORT_CSV);
	report_f64(report, "ratio", "", NAN);
	report_string(report, "name", NULL);
	end(report);
	assert_output("name,value,unit\nratio,,\nname,,\n");
}
END_TEST

START_TEST(json_integers_are_exact)
{
	struct report *report = begin(REPORT_JSON);

	report_u64(report, "most", "", INT64_MAX);
	report_u64(report, "more", "", UINT64_MAX);
	end(report);
	assert_output("{\n  \"most\": 9223372036854775807,\n"
		      "  \"more\": \"18446744073709551615\"\n}\n");
}
END_TEST

static const char hostile[] = "a\033[31m\"b\",\n\xff\xc0\xaf\xed\xa0\x80\xc2\x9b"
			      "\xe2\x80\xae\xc3\xa9\\";

static void hostile_report(enum report_format format)
{
	struct report *report = begin(format);

	report_string(report, "name", hostile);
	end(report);
}

START_TEST(hostile_text)
{
	hostile_report(REPORT_TEXT);
	assert_output(
		"name  a\\x1b[31m\"b\",\\n\\xff\\xc0\\xaf\\xed\\xa0\\x80\\x9b\\u202e\xc3\xa9\\\n");
}
END_TEST

START_TEST(hostile_json)
{
	hostile_report(REPORT_JSON);
	json_t *root = json_loads(output, 0, NULL);

	ck_assert_ptr_nonnull(root);
	char *valid = escape_utf8(hostile);

	ck_assert_str_eq(json_string_value(json_object_get(root, "name")), valid);
	ck_assert_ptr_nonnull(strstr(valid, "\n\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
	free(valid);
	json_decref(root);
	free(output);
}
END_TEST

START_TEST(hostile_csv)
{
	struct report *report = begin(REPORT_CSV);

	report_string(report, "a", "x,y");
	report_string(report, "b", "say \"hi\"");
	report_string(report, "c", "two\nlines");
	report_string(report, "d", "\xff");
	report_string(report, "e", "plain text");
	report_string(report, "f", "\x1b]0;x\a\r\t");
	report_string(report, "g",
		      "\xe2\x80\xae"
		      "3*2\xc2\x9b");
	end(report);
	assert_output("name,value,unit\n"
		      "a,\"x,y\",\n"
		      "b,\"say \"\"hi\"\"\",\n"
		      "c,two\\nlines,\n"
		      "d,\\xff,\n"
		      "e,plain text,\n"
		      "f,\\x1b]0;x\\x07\\x0d\\t,\n"
		      "g,\\u202e3*2\\x9b,\n");
}
END_TEST

START_TEST(csv_formulas)
{
	static const struct {
		const char *text, *expected;
	} cells[] = {
		{ "=1+2", "'=1+2" },
		{ "@sum(a)", "'@sum(a)" },
		{ "-x", "'-x" },
		{ "+cmd|' /C'!A0", "'+cmd|' /C'!A0" },
		{ "=a,b", "\"'=a,b\"" },
		{ "'=x", "''=x" },
		{ "''-1", "'''-1" },
		{ "-1", "-1" },
		{ "+2.5e-3", "+2.5e-3" },
		{ "-1+2", "'-1+2" },
		{ "-", "-" },
		{ "'a", "'a" },
		{ "-.5", "-.5" },
		{ "-e5", "'-e5" },
		{ "a=b", "a=b" },
		{ "\t=x", "\\t=x" },
		{ "", "" },
		{ "-0x5", "'-0x5" },
		{ "-inf", "'-inf" },
	};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		out = open_memstream(&output, &output_size);
		put_csv(out, cells[i].text);
		fclose(out);
		assert_output(cells[i].expected);
	}
}
END_TEST

START_TEST(json_strings)
{
	out = open_memstream(&output, &output_size);
	json_put_line(out, json_text("a\"\\\x01\x80"), JSON_ENCODE_ANY);
	fclose(out);
	assert_output("\"a\\\"\\\\\\u0001\xef\xbf\xbd\"\n");
}
END_TEST

START_TEST(utf8)
{
	static const struct {
		const char *bytes;
		size_t length;
		unsigned code;
	} cases[] = {
		{ "A", 1, 'A' },
		{ "\xc3\xa9", 2, 0xe9 },
		{ "\xe2\x82\xac", 3, 0x20ac },
		{ "\xf0\x9f\x98\x80", 4, 0x1f600 },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
		{ "\x80", 0, 0 },
		{ "\xc1\x81", 0, 0 },
		{ "\xe0\x80\x80", 0, 0 },
		{ "\xed\xa0\x80", 0, 0 },
		{ "\xf4\x90\x80\x80", 0, 0 },
		{ "\xc3", 0, 0 },
		{ "\xe2\x82", 0, 0 },
		{ "\xfe", 0, 0 },
		{ "\xf8\x88\x80\x80\x80", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned code = 0;

		ck_assert_uint_eq(utf8_decode(cases[i].bytes, &code), cases[i].length);
		if (cases[i].length)
			ck_assert_uint_eq(code, cases[i].code);
	}
	ck_assert_uint_eq(utf8_length("a\xc3\xa9\xe2\x82\xac"), 3);
}
END_TEST

START_TEST(wide_characters_align)
{
	struct report *report = begin(REPORT_TEXT);

	report_table(report, "t", columns);
	report_row(report, "\xc3\xa9t\xc3\xa9", (uint64_t)1, 1.0, (uint64_t)1);
	end(report);
	assert_output("name  stored bytes  share [%]   pc\n"
		      "\xc3\xa9t\xc3\xa9              1      1.000  0x1\n");
}
END_TEST

static void row_of_another_length(struct report *report)
{
	report_row(report, "CHUNK", 1, 2.0);
}

static void row_of_another_type(struct report *report)
{
	report_row(report, "CHUNK", "1");
}

static void row_of_a_fraction(struct report *report)
{
	report_row(report, "CHUNK", 1.0);
}

/* A row that does not fit its columns ends the program. */
START_TEST(rows_that_do_not_fit)
{
	static void (*const rows[])(struct report *) = { row_of_another_length, row_of_another_type,
							 row_of_a_fraction };
	static const struct report_column two[] = { { "kind", REPORT_STRING, "" },
						    { "bytes", REPORT_U64, "" },
						    { NULL, 0, NULL } };
	struct report *report = report_begin(stdout, REPORT_TEXT);

	report_table(report, "sections", two);
	rows[_i](report);
}
END_TEST

START_TEST(formats)
{
	enum report_format format = REPORT_TEXT;

	ck_assert(report_parse_format("csv", &format));
	ck_assert_int_eq(format, REPORT_CSV);
	ck_assert(report_parse_format("json", &format));
	ck_assert_int_eq(format, REPORT_JSON);
	ck_assert(report_parse_format("text", &format));
	ck_assert_int_eq(format, REPORT_TEXT);
	ck_assert(!report_parse_format("JSON", &format));
	ck_assert(!report_parse_format("", &format));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report");
	TCase *tests = tcase_create("report");

	tcase_add_test(tests, text);
	tcase_add_test(tests, text_of_names_and_of_one);
	tcase_add_test(tests, text_without_unknown_columns);
	tcase_add_test(tests, changes);
	tcase_add_test(tests, json);
	tcase_add_test(tests, csv);
	tcase_add_test(tests, one_table_is_plain);
	tcase_add_test(tests, legend);
	tcase_add_test(tests, rows_of_counts);
	tcase_add_test(tests, other_form);
	tcase_add_test(tests, empty);
	tcase_add_test(tests, separators);
	tcase_add_test(tests, doubles);
	tcase_add_test(tests, unknown_values);
	tcase_add_test(tests, json_integers_are_exact);
	tcase_add_test(tests, hostile_text);
	tcase_add_test(tests, hostile_json);
	tcase_add_test(tests, hostile_csv);
	tcase_add_test(tests, csv_formulas);
	tcase_add_test(tests, json_strings);
	tcase_add_test(tests, utf8);
	tcase_add_test(tests, wide_characters_align);
	tcase_add_test(tests, formats);
	tcase_add_loop_test_raise_signal(tests, rows_that_do_not_fit, SIGABRT, 0, 3);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
