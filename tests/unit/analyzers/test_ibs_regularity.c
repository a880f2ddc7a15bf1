/* SPDX-License-Identifier: MIT */
/* The effective number of samples, and whether sampling is in step with a loop. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/ibs/views/regularity.h"
#include "tests/unit/run_suite.h"

/* Adds samples of a loop's instructions in turn, `stay` of each. */
static void add_loop(struct ibs_repeats *repeats, unsigned length, unsigned stay, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		ibs_repeats_add(repeats, 0x401000 + i / stay % length);
}

static struct ibs_locking locking_of(unsigned length, unsigned stay, unsigned count)
{
	struct ibs_regularity r = { 0 };

	add_loop(&r.samples, length, stay, count);
	return ibs_regularity_locking(&r);
}

/* Compares with a reference that samples a loop of 64 instructions as if by chance. */
static struct ibs_locking referred(unsigned length, unsigned count)
{
	struct ibs_regularity r = { 0 };
	uint64_t random = 1;

	add_loop(&r.samples, length, 1, count);
	for (unsigned i = 0; i < count; i++) {
		random = random * 6364136223846793005 + 1442695040888963407;
		ibs_repeats_add(&r.reference, random >> 58);
	}
	return ibs_regularity_locking(&r);
}

START_TEST(repeats)
{
	struct ibs_repeats r = { 0 };

	add_loop(&r, 3, 1, 100);
	for (unsigned lag = 1; lag <= IBS_MOST_LAG; lag++)
		ck_assert_uint_eq(r.same[lag - 1], lag % 3 ? 0 : 100 - lag);
	ck_assert_uint_eq(r.samples, 100);
}
END_TEST

START_TEST(effective_samples)
{
	static const struct {
		uint64_t intervals[4];
		double effective;
	} cases[] = {
		{ { 7, 7, 7, 7 }, 4 },
		{ { 1, 1, 1, 3 }, 36. / 12 },
		{ { 0, 0, 0, 1ull << 40 }, 1 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibs_regularity r = { 0 };

		for (unsigned k = 0; k < 4; k++)
			ibs_regularity_add(&r, 0x401000, cases[i].intervals[k]);
		ck_assert(ibs_regularity_effective(&r) == cases[i].effective);
		ck_assert_uint_eq(r.samples.samples, 4);
	}
	ck_assert(isnan(ibs_regularity_effective(&(struct ibs_regularity){ 0 })));
}
END_TEST

/* If only a part of the loop is sampled, all samples are repeats at a lag of the part's length. */
START_TEST(locked)
{
	for (unsigned length = 1; length <= IBS_MOST_LAG; length++) {
		struct ibs_locking l = referred(length, 1000);

		ck_assert_uint_eq(l.lag, length);
		ck_assert(l.share == 1 && l.expected < .05 && l.locked);
	}
	ck_assert(!referred(IBS_MOST_LAG + 1, 1000).locked);
	ck_assert(!referred(1, 15).locked);
}
END_TEST

/* Without a reference the samples that a random sampler would have taken are unknown. */
START_TEST(without_reference)
{
	for (unsigned length = 2; length <= IBS_MOST_LAG; length++) {
		struct ibs_locking l = locking_of(length, 1, 1000);

		ck_assert_uint_eq(l.lag, length);
		ck_assert(l.share == 1 && l.locked);
		ck_assert(length == 2 ? l.expected == 0 : l.expected < .01);
	}
	/* The loop may have a single instruction. */
	struct ibs_locking one = locking_of(1, 1, 1000);

	ck_assert(one.lag == 1 && one.share == 1 && isnan(one.expected) && !one.locked);
	/* Phases that last for some samples repeat them at short lags, without being in step. */
	ck_assert(!locking_of(1000, 5, 5000).locked);
	ck_assert_uint_eq(locking_of(1, 1, 1).lag, 0);
	ck_assert_uint_eq(locking_of(1, 1, 0).lag, 0);
}
END_TEST

/* A sampler that samples the same instructions as the reference is not locked, even if only one. */
START_TEST(as_the_reference)
{
	for (unsigned length = 1; length < 20; length++) {
		struct ibs_regularity r = { 0 };

		add_loop(&r.samples, length, 2, 1000);
		add_loop(&r.reference, length, 2, 1000);
		ck_assert(!ibs_regularity_locking(&r).locked);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs regularity");
	TCase *tests = tcase_create("regularity");

	tcase_add_test(tests, repeats);
	tcase_add_test(tests, effective_samples);
	tcase_add_test(tests, locked);
	tcase_add_test(tests, without_reference);
	tcase_add_test(tests, as_the_reference);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
