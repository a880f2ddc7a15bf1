/* SPDX-License-Identifier: MIT */
/* The errors of samplers: known biases, on a known loop. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/ibs/model/profiles.h"
#include "tests/unit/run_suite.h"

enum { MOST_OPS = 100, CODE = 0x401000, DATA = 0x10000000, PERIODS_A_LOOP = 37 };

static struct machine machine;
static struct set_cache l3;
static struct pipeline pipeline;
static struct ibs_profiles profiles;
static struct ibs_observers observers;
static struct ibs_op_facts insns[MOST_OPS];

static void setup(void)
{
	ck_assert(machine_preset(&machine, "zen4"));
	machine.predictor = PREDICTOR_PERFECT;
}

static void start(size_t n, uint64_t period)
{
	set_cache_init(&l3, machine.l3_size / 64, machine.l3_ways);
	pipeline_init(&pipeline, &machine, &l3);
	ibs_profiles_init(&profiles, n);
	ibs_observers_init(&observers, &profiles,
			   &(struct ibs_sampler){ .period = period, .random = 1 });
}

static void stop(void)
{
	ibs_profiles_free(&profiles);
	pipeline_free(&pipeline);
	set_cache_free(&l3);
}

static void decode(struct ibs_op_facts *op, const char *code, size_t length)
{
	struct ibs_op_facts ops[IBS_MAX_OPS];

	ck_assert_uint_eq(ibs_insn_decode(ops, &machine, ISA_AMD, (const uint8_t *)code, length,
					  CODE),
			  1);
	*op = ops[0];
}

/* Runs a chain of loads that takes `latency` cycles a turn, with n - 1 ops that wait for
 * nothing. */
static void run_loop(unsigned n, uint32_t latency, unsigned turns)
{
	struct access access = { DATA, 8, ACCESS_READ };
	struct ibs_op op = { .accesses = &access };
	struct ibs_timing timing;

	machine.l1d_latency = latency;
	start(n, n * PERIODS_A_LOOP);
	decode(&insns[0], "\x48\x8b\x00", 3);
	for (unsigned i = 1; i < n; i++) {
		decode(&insns[i], "\x31\xc9", 2);
		insns[i].insn = i;
	}
	for (unsigned turn = 0; turn < turns; turn++)
		for (unsigned i = 0; i < n; i++) {
			op.facts = &insns[i];
			op.n_accesses = i == 0;
			pipeline_step(&pipeline, &op, &timing);
			ibs_observers_step(&observers, &op, &timing);
		}
	ibs_observers_end(&observers);
}

static double from_executions(enum ibs_mode mode, enum ibs_randomization randomization)
{
	return ibs_distance(profiles.samples[mode * IBS_N_RANDOMIZATIONS + randomization],
			    profiles.ops, profiles.n_insns);
}

/* Random counts of ops are right but for chance; waiting samples the ops that follow the load. */
START_TEST(biases)
{
	static const struct {
		unsigned n, latency;
		double waiting;
	} cases[] = { { 20, 50, .67 }, { 20, 200, .70 }, { 64, 200, .91 }, { 100, 300, .94 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned n = cases[i].n;

		run_loop(n, cases[i].latency, 40000);
		uint64_t random = IBS_OPS * IBS_N_RANDOMIZATIONS + IBS_RANDOM_7;
		uint64_t skip = IBS_CYCLES_SKIP * IBS_N_RANDOMIZATIONS + IBS_RANDOM_7;
		double chance = ibs_expected_distance(profiles.ops, n,
						      profiles.tallies[random].samples);

		ck_assert(from_executions(IBS_OPS, IBS_RANDOM_NONE) > .88);
		ck_assert(from_executions(IBS_OPS, IBS_RANDOM_7) < 1.4 * chance);
		ck_assert(fabs(from_executions(IBS_CYCLES_WAIT, IBS_RANDOM_4) - cases[i].waiting) <
			  .04);
		ck_assert_uint_gt(profiles.tallies[skip].skipped,
				  2 * profiles.tallies[skip].samples);
		ck_assert(profiles.cycles[0] > .9 * (double)pipeline_cycles(&pipeline));
		stop();
	}
}
END_TEST

/* Every cycle is charged once. */
START_TEST(all_cycles)
{
	double sum = 0;

	run_loop(20, 7, 100);
	for (unsigned i = 0; i < 20; i++)
		sum += profiles.cycles[i];
	ck_assert(fabs(sum - (double)(pipeline_cycles(&pipeline) + 1)) < 1e-6);
	stop();
}
END_TEST

/* Two ops retire together, one follows late, and one follows a mispredicted branch. */
START_TEST(charging)
{
	struct ibs_timing early = { .dispatched = 5, .retired = 9 };
	struct ibs_timing late = { .dispatched = 6, .retired = 20, .mispredicted = true };
	struct ibs_timing next = { .dispatched = 30, .retired = 33 };
	struct ibs_op_facts facts[4];
	struct ibs_op ops[4];

	for (unsigned i = 0; i < 4; i++) {
		facts[i] = (struct ibs_op_facts){ .insn = i, .n_ops = 1 };
		ops[i] = (struct ibs_op){ .facts = &facts[i] };
	}
	start(4, 1000);
	ibs_observers_step(&observers, &ops[0], &early);
	ibs_observers_step(&observers, &ops[1], &early);
	ibs_observers_step(&observers, &ops[2], &late);
	ibs_observers_step(&observers, &ops[3], &next);
	ibs_observers_end(&observers);
	ck_assert(profiles.cycles[0] == 9.5); /* cycles 0 to 8, and half of 9 */
	ck_assert(profiles.cycles[1] == .5);
	ck_assert(profiles.cycles[2] == 11 + 9); /* 10 to 20; 21 to 29, nothing under way */
	ck_assert(profiles.cycles[3] == 4);      /* 30 to 33 */
	stop();
}
END_TEST

START_TEST(distances)
{
	static const double a[] = { 1, 1, 2, 0 }, b[] = { 10, 10, 20, 0 }, c[] = { 0, 0, 0, 5 };
	static const double half[] = { 1, 1 };

	ck_assert(ibs_distance(a, b, 4) == 0);
	ck_assert(ibs_distance(a, c, 4) == 1);
	ck_assert(ibs_expected_distance(c, 4, 10) == 0);
	/* A single sample is off by a half. Of the pairs of samples, half are off by a half. */
	ck_assert(fabs(ibs_expected_distance(half, 2, 1) - .5) < 1e-12);
	ck_assert(fabs(ibs_expected_distance(half, 2, 2) - .25) < 1e-12);
	ck_assert(fabs(ibs_expected_distance(half, 2, 4) - .1875) < 1e-12);
}
END_TEST

START_TEST(largest)
{
	static const double truth[] = { 5, 0, 9, 7, 7, 1 }, a[] = { 1, 9, 8, 0, 2, 7 };
	static const double few[] = { 0, 0, 3, 0, 0, 0 };

	ck_assert(ibs_recovered(truth, truth, 6, 3) == 1);
	ck_assert(ibs_recovered(a, truth, 6, 1) == 0);  /* 1; 2 */
	ck_assert(ibs_recovered(a, truth, 6, 2) == .5); /* 1, 2; 2, 3 */
	ck_assert(ibs_recovered(a, truth, 6, 4) == .5); /* 1, 2, 5, 4; 2, 3, 4, 0 */
	ck_assert(ibs_recovered(few, truth, 6, 4) == .25);
	ck_assert(ibs_recovered(a, few, 6, 4) == 1);
}
END_TEST

/* Four instructions are summed up in two groups. */
START_TEST(sums)
{
	static const uint32_t groups[] = { 1, 0, 1, 1 };
	struct ibs_profiles fine, coarse;

	ibs_profiles_init(&fine, 4);
	ibs_profiles_init(&coarse, 2);
	for (unsigned i = 0; i < 4; i++) {
		fine.executed[fine.n_executed++] = 3 - i;
		fine.cycles[i] = fine.samples[7][i] = 1 << i;
	}
	fine.tallies[7].samples = 15;
	fine.tallies[7].skipped = 3;
	ibs_profiles_add(&coarse, &fine, groups);
	ck_assert(coarse.cycles[0] == 2 && coarse.cycles[1] == 13);
	ck_assert(coarse.samples[7][0] == 2 && coarse.samples[7][1] == 13);
	ck_assert_uint_eq(coarse.tallies[7].samples, 15);
	ck_assert_uint_eq(coarse.tallies[7].skipped, 3);
	ibs_profiles_free(&fine);
	ibs_profiles_free(&coarse);
}
END_TEST

/* An execution of three repetitions, and one of two ops. */
START_TEST(executions)
{
	struct ibs_op_facts rep = { .insn = 0, .n_ops = 1 }, two = { .insn = 1, .n_ops = 2 };
	struct ibs_timing timing = { .retired = 1 };

	start(2, 1000);
	for (int i = 0; i < 3; i++)
		ibs_observers_step(&observers, &(struct ibs_op){ .facts = &rep, .repeats = i > 0 },
				   &timing);
	for (int i = 0; i < 2; i++)
		ibs_observers_step(&observers, &(struct ibs_op){ .facts = &two }, &timing);
	ck_assert(profiles.executions[0] == 1 && profiles.ops[0] == 3);
	ck_assert(profiles.executions[1] == 1 && profiles.ops[1] == 2);
	stop();
}
END_TEST

/* ---- wrong paths ------------------------------------------------------------------------- */

enum { PERIOD = 160 };

static struct ibs_sampler sampler_of(enum ibs_mode mode)
{
	struct ibs_sampler sampler = { .mode = mode, .period = PERIOD, .random = 1 };

	ibs_sampler_start(&sampler);
	return sampler;
}

static void assert_killed(const struct ibs_sampler *sampler, uint64_t resolved)
{
	ck_assert_uint_eq(sampler->killed, 1);
	ck_assert_uint_eq(sampler->busy_until, resolved);
	ck_assert(!sampler->tagged && sampler->preload >= 1 && sampler->preload <= 127);
	ck_assert_uint_eq(sampler->count, sampler->preload);
	ck_assert_uint_eq(sampler->expires, resolved + PERIOD - sampler->preload - 1);
}

/* After 100 ops six a cycle on a wrong path, in cycles 11 to 20: the last one is the 160th. */
START_TEST(ops_of_wrong_paths)
{
	struct ibs_wrong_path path = { 11, 21, 6, 59 };

	for (int all = 0; all < 2; all++, path.n_ops++) {
		struct ibs_sampler sampler = sampler_of(IBS_OPS);

		for (int i = 0; i < 100; i++)
			ck_assert(!ibs_sampler_dispatched(&sampler, 1 + i / 10));
		ibs_sampler_wrong_path(&sampler, &path);
		if (all) {
			assert_killed(&sampler, path.resolved);
			continue;
		}
		ck_assert_uint_eq(sampler.killed, 0);
		ck_assert(ibs_sampler_dispatched(&sampler, 30));
		ibs_sampler_wrong_path(&sampler, &path); /* counts nothing: one is tagged */
		ibs_sampler_retired(&sampler, 40);
		ck_assert_uint_eq(sampler.count, 0);
		ibs_sampler_wrong_path(&sampler, &path); /* nothing before the tag retired */
		ck_assert_uint_eq(sampler.count, 0);
		path = (struct ibs_wrong_path){ 38, 45, 6, 100 };
		ibs_sampler_wrong_path(&sampler, &path);
		ck_assert_uint_eq(sampler.count, 5 * 6);
		path = (struct ibs_wrong_path){ 11, 21, 6, 59 };
	}
}
END_TEST

/* Cycle 159 ends a count; of six ops a cycle from 150 on 54 last until 158, and 60 until 159. */
START_TEST(cycles_of_wrong_paths)
{
	static const enum ibs_mode modes[] = { IBS_CYCLES_WAIT, IBS_CYCLES_SKIP };
	struct ibs_wrong_path path = { 150, 170, 6, 54 };
	struct ibs_sampler sampler = sampler_of(modes[_i]);

	ibs_sampler_wrong_path(&sampler, &path);
	ck_assert_uint_eq(sampler.killed, 0);
	ck_assert_uint_eq(sampler.expires, PERIOD - 1);
	path.n_ops = 60;
	ibs_sampler_wrong_path(&sampler, &path);
	assert_killed(&sampler, path.resolved);
}
END_TEST

/* Nothing is dispatched when a count ends, but a wrong path begins a cycle later. */
START_TEST(late_wrong_paths)
{
	struct ibs_wrong_path path = { PERIOD, 170, 6, 60 };
	struct ibs_sampler waiting = sampler_of(IBS_CYCLES_WAIT);
	struct ibs_sampler skipping = sampler_of(IBS_CYCLES_SKIP);

	ibs_sampler_wrong_path(&waiting, &path);
	assert_killed(&waiting, path.resolved);
	ibs_sampler_wrong_path(&skipping, &path);
	ck_assert_uint_eq(skipping.killed, 0);
	ck_assert_uint_eq(skipping.skipped, 1);
	ck_assert_uint_eq(skipping.expires, 2 * PERIOD - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ibs profiles");
	TCase *tests = tcase_create("profiles");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, biases);
	tcase_add_test(tests, all_cycles);
	tcase_add_test(tests, charging);
	tcase_add_test(tests, executions);
	tcase_add_test(tests, distances);
	tcase_add_test(tests, largest);
	tcase_add_test(tests, sums);
	tcase_add_test(tests, ops_of_wrong_paths);
	tcase_add_loop_test(tests, cycles_of_wrong_paths, 0, 2);
	tcase_add_test(tests, late_wrong_paths);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
