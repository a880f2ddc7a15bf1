/* SPDX-License-Identifier: MIT */
/* The names of trace-bbv's files, and the identities of its blocks. */
#include <check.h>
#include <stdlib.h>

#include "analyzers/bbv/ids.h"
#include "analyzers/bbv/name.h"
#include "tests/unit/run_suite.h"

START_TEST(file_names)
{
	const char *wrong;
	char *name;

	setenv("BBV_TEST", "value", 1);
	name = bbv_file_name("a.%p.%n.%q{BBV_TEST}.%%", 12, 3, &wrong);
	ck_assert_str_eq(name, "a.12.3.value.%");
	free(name);
	ck_assert_ptr_null(bbv_file_name("", 1, 1, &wrong));
	ck_assert_str_eq(wrong, "no file name given");
	ck_assert_ptr_null(bbv_file_name("a%", 1, 1, &wrong));
	ck_assert_str_eq(wrong, "expected 'p', 'n', 'q' or '%' after '%'");
	ck_assert_ptr_null(bbv_file_name("a%q", 1, 1, &wrong));
	ck_assert_str_eq(wrong, "expected '{' after '%q'");
	ck_assert_ptr_null(bbv_file_name("a%q{BBV", 1, 1, &wrong));
	ck_assert_str_eq(wrong, "missing '}' in %q specifier");
	ck_assert_ptr_null(bbv_file_name("%q{BBV_NO_SUCH}", 1, 1, &wrong));
	ck_assert_str_eq(wrong, "environment variable in %q is not set");
}
END_TEST

START_TEST(suffixes)
{
	char gzip[] = "a.gz", zstd[] = "a.zst", plain[] = "a.bz", alone[] = ".gz";

	ck_assert_int_eq(bbv_take_suffix(gzip), BBV_GZIP);
	ck_assert_str_eq(gzip, "a");
	ck_assert_int_eq(bbv_take_suffix(zstd), BBV_ZSTD);
	ck_assert_str_eq(zstd, "a");
	ck_assert_int_eq(bbv_take_suffix(plain), BBV_PLAIN);
	ck_assert_str_eq(plain, "a.bz");
	ck_assert_int_eq(bbv_take_suffix(alone), BBV_PLAIN);
}
END_TEST

START_TEST(keys_are_places_in_modules)
{
	static const uint32_t sorted[] = { 2, 1, 3, 4 };
	struct bbv_ids ids = { .by_offset = true };

	ck_assert_uint_eq(bbv_id(&ids, (struct bbv_start){ 0x5000, 0x10, 1 }), 1);
	ck_assert_uint_eq(bbv_id(&ids, (struct bbv_start){ 0x4000, 0x20, 0 }), 2);
	ck_assert_uint_eq(bbv_id(&ids, (struct bbv_start){ 0x9000, 0x10, 1 }), 1);
	ck_assert_uint_eq(bbv_id(&ids, (struct bbv_start){ 0x10, 0, TF_NONE }), 3);
	ck_assert_uint_eq(bbv_id(&ids, (struct bbv_start){ 0x10, 0, BBV_MEMORY }), 4);
	bbv_ids_sort(&ids);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(ids.sorted.at[i], sorted[i]);
	bbv_ids_free(&ids);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bbv names");
	TCase *tests = tcase_create("names");

	tcase_add_test(tests, file_names);
	tcase_add_test(tests, suffixes);
	tcase_add_test(tests, keys_are_places_in_modules);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
