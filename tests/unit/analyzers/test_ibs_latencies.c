/* SPDX-License-Identifier: MIT */
/* Histograms of latencies. */
#include <check.h>
#include <stdlib.h>

#include "analyzers/ibs/views/latencies.h"
#include "tests/unit/run_suite.h"

START_TEST(percentiles)
{
	struct latencies l = { 0 };

	ck_assert_uint_eq(latencies_percentile(&l, 50), 0);
	for (unsigned i = 100; i > 0; i--)
		latencies_add(&l, i * 37 % 101);
	ck_assert_uint_eq(l.bins.count, 100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert(l.bins.at[i].from == i + 1 && l.bins.at[i].samples == 1);
	ck_assert_uint_eq(latencies_percentile(&l, 50), 50);
	ck_assert_uint_eq(latencies_percentile(&l, 99), 99);
	ck_assert_uint_eq(latencies_percentile(&l, 100), 100);
	ck_assert_uint_eq(latencies_percentile(&l, 0), 1);
	ck_assert(latencies_mean(&l) == 50.5);
	ck_assert_uint_eq(l.max, 100);
	latencies_free(&l);
}
END_TEST

/* Each latency lies in the bin that counts it. Bins are narrow and do not overlap. */
START_TEST(bins)
{
	struct latencies all = { 0 };

	for (uint64_t cycles = 0; cycles < 200000; cycles += 1 + cycles / 1000) {
		struct latencies one = { 0 };

		latencies_add(&all, cycles);
		latencies_add(&one, cycles);
		uint64_t from = one.bins.at[0].from, to = latency_bin_to(&one.bins.at[0]);

		if (from > cycles || to < cycles || (to - from) * 64 > from)
			ck_abort_msg("%lu is in %lu to %lu", (long)cycles, (long)from, (long)to);
		latencies_free(&one);
	}
	for (unsigned i = 1; i < all.bins.count; i++)
		ck_assert_uint_gt(all.bins.at[i].from, latency_bin_to(&all.bins.at[i - 1]));
	latencies_free(&all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs latencies");
	TCase *tests = tcase_create("latencies");

	tcase_add_test(tests, percentiles);
	tcase_add_test(tests, bins);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
