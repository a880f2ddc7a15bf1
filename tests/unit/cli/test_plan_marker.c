/* SPDX-License-Identifier: MIT */
/* Numbers, addresses and markers read from the JSON of a plan. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "cli/common/json_values.h"
#include "cli/common/plan_marker.h"
#include "tests/unit/run_suite.h"

static json_t *parsed(const char *text)
{
	json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

	ck_assert_ptr_nonnull(value);
	return value;
}

START_TEST(numbers)
{
	json_t *object = parsed(
		"{\"n\": 9223372036854775807, \"minus\": -1, \"real\": 0.5, \"text\": \"7\"}");
	uint64_t n = 3;

	ck_assert(json_read_number(object, "n", &n));
	ck_assert_uint_eq(n, INT64_MAX);
	ck_assert(!json_read_number(object, "minus", &n));
	ck_assert(!json_read_number(object, "real", &n));
	ck_assert(!json_read_number(object, "text", &n));
	ck_assert(!json_read_number(object, "none", &n));
	ck_assert(!json_read_number(NULL, "n", &n));
	ck_assert_double_eq(json_read_real(object, "real"), 0.5);
	ck_assert_double_eq(json_read_real(object, "minus"), -1);
	ck_assert(isnan(json_read_real(object, "text")));
	ck_assert(isnan(json_read_real(object, "none")));
	ck_assert_str_eq(json_read_text(object, "text"), "7");
	ck_assert_ptr_null(json_read_text(object, "n"));
	json_decref(object);
}
END_TEST

START_TEST(addresses)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{ "{\"pc\": \"0x401000\"}", true, 0x401000 },
		{ "{\"pc\": \"0xffffffffffffffff\"}", true, UINT64_MAX },
		{ "{\"pc\": 4096}", true, 4096 },
		{ "{\"pc\": \"0x10000000000000000\"}", false, 0 },
		{ "{\"pc\": \"0x\"}", false, 0 },
		{ "{\"pc\": \"0x-1\"}", false, 0 },
		{ "{\"pc\": \"401000\"}", false, 0 },
		{ "{\"pc\": \"0x12 \"}", false, 0 },
		{ "{\"pc\": -1}", false, 0 },
		{ "{}", false, 0 },
	};
	json_t *object = parsed(cases[_i].text);
	uint64_t value;

	ck_assert_int_eq(json_read_address(object, "pc", &value), cases[_i].good);
	if (cases[_i].good)
		ck_assert_uint_eq(value, cases[_i].value);
	json_decref(object);
}
END_TEST

START_TEST(marker)
{
	json_t *object = parsed(
		"{\"module\": \"libm.so.6\", \"build_id\": \"ab01\", \"offset\": \"0x20\","
		" \"pc\": \"0x7f0020\", \"count\": 3}");
	struct plan_marker found;

	ck_assert(plan_marker_read(object, &found));
	ck_assert_str_eq(found.module, "libm.so.6");
	ck_assert_str_eq(found.build_id, "ab01");
	ck_assert_uint_eq(found.offset, 0x20);
	ck_assert_uint_eq(found.pc, 0x7f0020);
	ck_assert_uint_eq(found.count, 3);
	json_decref(object);
}
END_TEST

START_TEST(marker_without_module)
{
	json_t *object = parsed(
		"{\"module\": null, \"build_id\": \"\", \"pc\": \"0x7f0020\", \"count\": 1}");
	struct plan_marker found;

	ck_assert(plan_marker_read(object, &found));
	ck_assert_ptr_null(found.module);
	ck_assert_ptr_null(found.build_id);
	ck_assert_uint_eq(found.count, 1);
	json_decref(object);
}
END_TEST

START_TEST(begin_or_end)
{
	struct plan_marker found = { .count = 7 };

	ck_assert(plan_marker_read(json_null(), &found));
	ck_assert_uint_eq(found.count, 0);
}
END_TEST

START_TEST(no_marker)
{
	static const char *const cases[] = {
		"{}",
		"7",
		"{\"pc\": \"0x1\"}",
		"{\"pc\": \"0x1\", \"count\": 0}",
		"{\"count\": 1}",
		"{\"module\": \"a\", \"pc\": \"0x1\", \"count\": 1}",
	};
	json_t *object = parsed(cases[_i]);
	struct plan_marker found;

	ck_assert(!plan_marker_read(object, &found));
	json_decref(object);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan marker");
	TCase *tests = tcase_create("plan marker");

	tcase_add_test(tests, numbers);
	tcase_add_loop_test(tests, addresses, 0, 10);
	tcase_add_test(tests, marker);
	tcase_add_test(tests, marker_without_module);
	tcase_add_test(tests, begin_or_end);
	tcase_add_loop_test(tests, no_marker, 0, 6);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
