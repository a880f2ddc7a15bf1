/* SPDX-License-Identifier: MIT */
/* The ops and fetches that a sampler chooses. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/ibs/model/sampler.h"
#include "tests/unit/run_suite.h"

/*
 * Groups of `width` ops are dispatched every `step` cycles; each retires `latency` cycles later.
 * Writes the numbers of the first `count` ops that are sampled.
 */
static void sample(struct ibs_sampler *sampler, uint64_t step, uint64_t width, uint64_t latency,
		   uint64_t *sampled, unsigned count)
{
	uint64_t tagged = 0, retired = 0;
	unsigned n = 0;

	ibs_sampler_start(sampler);
	for (uint64_t op = 0; n < count; op++) {
		uint64_t cycle = op / width * step;

		if (ibs_sampler_decided(sampler, cycle)) {
			sampled[n++] = tagged;
			ibs_sampler_retired(sampler, retired);
		}
		if (ibs_sampler_dispatched(sampler, cycle)) {
			tagged = op;
			retired = cycle + latency;
		}
	}
}

START_TEST(exact_periods)
{
	struct ibs_sampler sampler = { .period = 160 };
	uint64_t sampled[20];

	sample(&sampler, 1, 1, 1, sampled, 20);
	for (uint64_t i = 0; i < 20; i++)
		ck_assert_uint_eq(sampled[i], 160 * i + 159);
	sampler = (struct ibs_sampler){ .period = 160 };
	sample(&sampler, 1, 1, 50, sampled, 20);
	for (uint64_t i = 0; i < 20; i++)
		ck_assert_uint_eq(sampled[i], (160 + 49) * i + 159);
	/* With an op a cycle, cycles are ops. */
	sampler = (struct ibs_sampler){ .period = 160, .mode = IBS_CYCLES_WAIT };
	sample(&sampler, 1, 1, 1, sampled, 20);
	for (uint64_t i = 0; i < 20; i++)
		ck_assert_uint_eq(sampled[i], 160 * i + 159);
}
END_TEST

/* Groups every 100 cycles: the one after cycle 159 is that of cycle 200, and so on. */
START_TEST(waiting)
{
	struct ibs_sampler sampler = { .period = 160, .mode = IBS_CYCLES_WAIT };
	uint64_t sampled[400];
	unsigned chosen[4] = { 0 };

	sample(&sampler, 100, 4, 10, sampled, 400);
	for (uint64_t i = 0; i < 400; i++) {
		ck_assert_uint_eq(sampled[i] / 4, 2 + 2 * i);
		chosen[sampled[i] % 4]++;
	}
	ck_assert_uint_eq(sampler.skipped, 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert(chosen[i] > 60 && chosen[i] < 140);
}
END_TEST

/* Counts end in cycles 159, 319, 479, 639, 799 and 959: only that of 799 finds a group, with 17. */
START_TEST(skipping)
{
	struct ibs_sampler sampler = { .period = 160, .mode = IBS_CYCLES_SKIP };
	uint64_t sampled[3];

	sample(&sampler, 17, 4, 1, sampled, 1);
	ck_assert_uint_eq(sampled[0] / 4, 799 / 17);
	ck_assert_uint_eq(sampler.skipped, 4);
}
END_TEST

/* Groups every 17 cycles: the count that ends in cycle 159 finds that of cycle 170, if it waits for
 * 11 cycles. With 9 the next counts begin in cycles 169, 338 and so on, each behind a window; that
 * of 1014 finds the group of cycle 1173. */
START_TEST(windows)
{
	struct ibs_sampler sampler = { .period = 160, .mode = IBS_CYCLES_SKIP, .window = 11 };
	uint64_t sampled[1];

	sample(&sampler, 17, 4, 1, sampled, 1);
	ck_assert_uint_eq(sampled[0] / 4, 170 / 17);
	ck_assert_uint_eq(sampler.skipped, 0);
	sampler = (struct ibs_sampler){ .period = 160, .mode = IBS_CYCLES_SKIP, .window = 9 };
	sample(&sampler, 17, 4, 1, sampled, 1);
	ck_assert_uint_eq(sampled[0] / 4, 1173 / 17);
	ck_assert_uint_eq(sampler.skipped, 6);
}
END_TEST

/* Groups of four ops, on a machine that dispatches up to six at a time. */
START_TEST(slots)
{
	uint64_t sampled[600];
	unsigned chosen[IBS_N_SLOTS][4] = { 0 };

	for (unsigned slot = 0; slot < IBS_N_SLOTS; slot++) {
		struct ibs_sampler sampler = {
			.period = 160,
			.mode = IBS_CYCLES_WAIT,
			.slot = slot,
			.width = 6,
		};

		sample(&sampler, 100, 4, 10, sampled, 600);
		for (unsigned i = 0; i < 600; i++)
			chosen[slot][sampled[i] % 4]++;
	}
	ck_assert_uint_eq(chosen[IBS_SLOT_FIRST][0], 600);
	ck_assert_uint_eq(chosen[IBS_SLOT_LAST][3], 600);
	for (unsigned op = 0; op < 3; op++) {
		ck_assert_uint_eq(chosen[IBS_SLOT_RR][op], 100);
		ck_assert(chosen[IBS_SLOT_CLAMP][op] > 60 && chosen[IBS_SLOT_CLAMP][op] < 140);
	}
	ck_assert_uint_eq(chosen[IBS_SLOT_RR][3], 300);
}
END_TEST

/* An op a cycle that retires in the next one: the handler's cycles are not counted. */
START_TEST(handlers)
{
	for (unsigned mode = 0; mode < IBS_N_OP_MODES; mode++) {
		struct ibs_sampler sampler = { .period = 160, .mode = mode, .handler = 4000 };
		uint64_t sampled[20];

		sample(&sampler, 1, 1, 1, sampled, 20);
		for (uint64_t i = 0; i < 20; i++)
			ck_assert_uint_eq(sampled[i], (160 + 4000) * i + 159);
	}
}
END_TEST

/* Measures the lengths of counts under a way to randomize: the least, the largest, and the mean. */
static void lengths(enum ibs_randomization way, uint64_t period, uint64_t *least, uint64_t *most,
		    double *mean)
{
	enum { COUNT = 2000 };
	static uint64_t sampled[COUNT];
	struct ibs_sampler sampler = { .period = period, .randomization = way, .random = 5 };

	sample(&sampler, 1, 1, 1, sampled, COUNT);
	*least = UINT64_MAX;
	*most = 0;
	for (unsigned i = 1; i < COUNT; i++) {
		uint64_t length = sampled[i] - sampled[i - 1];

		*least = length < *least ? length : *least;
		*most = length > *most ? length : *most;
	}
	*mean = (double)(sampled[COUNT - 1] - sampled[0]) / (COUNT - 1);
}

START_TEST(ways_to_randomise)
{
	static const struct {
		enum ibs_randomization way;
		uint64_t period, least, most;
		double mean;
	} cases[] = {
		{ IBS_RANDOM_NONE, 8192, 8192, 8192, 8192 },
		{ IBS_RANDOM_12, 8192, 8192 - 4095, 8192, 8192 - 2047.5 },
		{ IBS_RANDOM_ZERO_4, 8192, 8192 - 112, 8192, 8192 - 56 },
		{ IBS_RANDOM_MAX, 8192, 8192 - 2048, 8192 + 2032, 8192 - 8 },
		{ IBS_RANDOM_MAX, 160, 80, 224, 152 },
		{ IBS_RANDOM_UNIFORM, 160, 80, 240, 160 },
		{ IBS_RANDOM_PRIME, 8192, 8209, 8209, 8209 },
	};
	uint64_t least, most;
	double mean;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lengths(cases[i].way, cases[i].period, &least, &most, &mean);
		ck_assert_uint_ge(least, cases[i].least);
		ck_assert_uint_le(least, cases[i].least + 64);
		ck_assert_uint_le(most, cases[i].most);
		ck_assert_uint_ge(most, cases[i].most - 64);
		ck_assert(fabs(mean / cases[i].mean - 1) < .03);
	}
	/* Counts of any length: a fraction of 1/e is longer than the period. */
	lengths(IBS_RANDOM_GEOMETRIC, 160, &least, &most, &mean);
	ck_assert_uint_lt(least, 3);
	ck_assert_uint_gt(most, 160 * 5);
	ck_assert(fabs(mean / 160 - 1) < .1);
}
END_TEST

/* Fetches: the one that reaches the period, and the next count begins with the one after. */
START_TEST(fetches)
{
	struct ibs_sampler sampler = { .mode = IBS_FETCHES, .period = 16 };

	ibs_sampler_start(&sampler);
	for (unsigned i = 1; i <= 100; i++) {
		bool tagged = ibs_sampler_fetched(&sampler, i);

		ck_assert_int_eq(tagged, i % 16 == 0);
		ck_assert_uint_eq(ibs_sampler_left(&sampler), tagged ? 0 : 15 - i % 16);
		if (tagged)
			ibs_sampler_retired(&sampler, i);
	}
}
END_TEST

/* A fetch each cycle, of which 5 behind the one that is sampled are the handler's. */
START_TEST(fetches_of_handlers)
{
	struct ibs_sampler sampler = { .mode = IBS_FETCHES, .period = 16, .handler = 5 };

	ibs_sampler_start(&sampler);
	for (unsigned cycle = 1; cycle <= 100; cycle++) {
		bool tagged = ibs_sampler_fetched(&sampler, cycle);

		ck_assert_int_eq(tagged, cycle % (16 + 5) == 16);
		if (tagged)
			ibs_sampler_retired(&sampler, cycle + 1);
	}
}
END_TEST

/* All residues of a loop of 16 ops are sampled about equally, and alike again from the same
 * seed. */
START_TEST(random_periods)
{
	enum { COUNT = 16000 };
	static uint64_t sampled[COUNT], again[COUNT];

	for (int bits = IBS_RANDOM_4; bits <= IBS_RANDOM_7; bits++) {
		struct ibs_sampler sampler = { .period = 160, .randomization = bits, .random = 7 };
		struct ibs_sampler same = sampler;
		unsigned residues[16] = { 0 };
		uint64_t most = bits == IBS_RANDOM_4 ? 160 : 159;
		uint64_t least = bits == IBS_RANDOM_4 ? 160 - 15 : 160 - 127;

		sample(&sampler, 1, 1, 1, sampled, COUNT);
		sample(&same, 1, 1, 1, again, COUNT);
		ck_assert_mem_eq(sampled, again, sizeof(sampled));
		for (unsigned i = 1; i < COUNT; i++) {
			uint64_t distance = sampled[i] - sampled[i - 1];

			ck_assert(distance >= least && distance <= most);
			residues[sampled[i] % 16]++;
		}
		for (unsigned i = 0; i < 16; i++)
			ck_assert(residues[i] > 850 && residues[i] < 1150);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs sampler");
	TCase *tests = tcase_create("sampler");

	tcase_add_test(tests, exact_periods);
	tcase_add_test(tests, waiting);
	tcase_add_test(tests, skipping);
	tcase_add_test(tests, windows);
	tcase_add_test(tests, slots);
	tcase_add_test(tests, handlers);
	tcase_add_test(tests, ways_to_randomise);
	tcase_add_test(tests, fetches);
	tcase_add_test(tests, fetches_of_handlers);
	tcase_add_test(tests, random_periods);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
