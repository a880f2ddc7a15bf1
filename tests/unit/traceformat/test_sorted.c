/* SPDX-License-Identifier: MIT */
/* Searches in sorted arrays, against a count of the elements before each place. */
#include <stdint.h>

#include "tests/unit/run_suite.h"
#include "traceformat/common/sorted.h"

struct range {
	uint64_t first, last;
};

START_TEST(every_place_of_arrays_of_every_length)
{
	enum { MOST = 9, STEP = 3 };
	struct range ranges[MOST];

	for (uint64_t i = 0; i < MOST; i++)
		ranges[i] = (struct range){ i * STEP, i * STEP + 1 };
	for (size_t n = 0; n <= MOST; n++)
		for (uint64_t place = 0; place < (MOST + 1) * STEP; place++) {
			size_t before = 0;

			while (before < n && ranges[before].last < place)
				before++;
			ck_assert_uint_eq(PARTITION_POINT(ranges, n, r, r->last < place), before);
		}
}
END_TEST

START_TEST(the_first_of_equal_elements)
{
	const int numbers[] = { 1, 2, 2, 2, 3 };

	ck_assert_uint_eq(PARTITION_POINT(numbers, 5, e, *e < 2), 1);
	ck_assert_uint_eq(PARTITION_POINT(numbers, 5, e, *e <= 2), 4);
}
END_TEST

START_TEST(no_array)
{
	const int *none = NULL;

	ck_assert_uint_eq(PARTITION_POINT(none, 0, e, *e < 2), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sorted");
	TCase *tcase = tcase_create("sorted");

	tcase_add_test(tcase, every_place_of_arrays_of_every_length);
	tcase_add_test(tcase, the_first_of_equal_elements);
	tcase_add_test(tcase, no_array);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
