/* SPDX-License-Identifier: MIT */
/* Names, limits, sketches and alignments of trace-compare, against slow models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/distance.h"
#include "cli/compare/names.h"
#include "cli/compare/verdict.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

/* ---- names ------------------------------------------------------------------------------- */

START_TEST(names_of_functions)
{
	static const char *const names[][2] = {
		{ "f", "f" },
		{ "f.isra.0", "f" },
		{ "f.constprop.1.isra.2", "f" },
		{ "f.part.0.cold", "f" },
		{ "f.llvm.123456", "f" },
		{ "f.isr", "f.isr" },
		{ "f.cold2x", "f.cold2x" },
		{ ".cold", ".cold" },
		{ "a::f(int) [clone .isra.0] [clone .cold]", "a::f(int)" },
		{ "memcpy@@GLIBC_2.14", "memcpy" },
		{ "memcpy@GLIBC_2.2.5", "memcpy" },
		{ "malloc@plt", "malloc@plt" },
		{ "@x", "@x" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = stable_function_name(names[i][0]);

		ck_assert_uint_eq(length, strlen(names[i][1]));
		ck_assert(!strncmp(names[i][0], names[i][1], length));
	}
}
END_TEST

START_TEST(names_of_modules)
{
	static const char *const names[][2] = {
		{ "libz.so.1.2.13", "libz.so" },
		{ "libz.so", "libz.so" },
		{ "libz-1.2.so", "libz" },
		{ "libz-1.3.so.1", "libz" },
		{ "lib64-bit.so", "lib64-bit.so" },
		{ "sort", "sort" },
		{ "a.sort", "a.sort" },
		{ ".so", ".so" },
		{ "x.sox", "x.sox" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_uint_eq(stable_module_name(names[i][0]), strlen(names[i][1]));
}
END_TEST

START_TEST(places)
{
	ck_assert(is_place("sort+0x1f", "sort"));
	ck_assert(!is_place("sort+0x", "sort"));
	ck_assert(!is_place("sort+0x1g", "sort"));
	ck_assert(!is_place("sort", "sort"));
	ck_assert(!is_place("other+0x1f", "sort"));
}
END_TEST

/* ---- limits ------------------------------------------------------------------------------ */

static struct metrics metrics_of(const char *const *names, size_t count)
{
	struct metrics metrics = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct metric metric;

		ck_assert(parse_metric(names[i], strlen(names[i]), &metric));
		add_metric(&metrics, &metric);
	}
	return metrics;
}

START_TEST(limits)
{
	static const char *const two[] = { "loads", "misses:32Ki", "loads" };
	struct metrics metrics = metrics_of(two, 3);
	struct limits list = { 0 };

	ck_assert_uint_eq(metrics.count, 2);
	ck_assert_ptr_null(parse_limits("0.5%,misses:32Ki:2k,stores:3%", &metrics, &list));
	ck_assert_uint_eq(list.count, 3);
	ck_assert_str_eq(list.at[0].metric.name, "loads");
	ck_assert(list.at[0].is_share && fabs(list.at[0].share - 0.005) < 1e-12);
	ck_assert_str_eq(list.at[1].metric.name, "misses:32Ki");
	ck_assert_str_eq(list.at[1].metric.key, "misses_32Ki");
	ck_assert(!list.at[1].is_share && list.at[1].count == 2000);
	ck_assert_uint_eq(list.at[1].length, 2);
	ck_assert_str_eq(list.at[2].metric.name, "stores");
	/* A limit for all metrics does not take the place of one that is there. */
	ck_assert_ptr_null(parse_limits("7%", &metrics, &list));
	ck_assert_uint_eq(list.count, 3);
	ck_assert(fabs(list.at[0].share - 0.005) < 1e-12);
	free(list.at);
	free(metrics.at);
}
END_TEST

START_TEST(wrong_limits)
{
	static const char *const wrong[] = { "",     ",",    "1%,",    "%",       "-1%",
					     "1e3%", "inf%", "loads",  "loads:",  "loads:%",
					     ":1%",  "x:1%", "misses", "1 %",     "misses:1%",
					     "1%%",  "0x1%", "1.2.3%", "loads:-1" };
	static const char *const one[] = { "loads" };
	struct metrics metrics = metrics_of(one, 1);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct limits list = { 0 };

		ck_assert_msg(parse_limits(wrong[i], &metrics, &list), "'%s' is accepted",
			      wrong[i]);
		free(list.at);
	}
	free(metrics.at);
}
END_TEST

/* ---- sketches ---------------------------------------------------------------------------- */

/* Fills a sketch with some of the numbers below `range`, ascending. */
static void fill_sketch(struct compared_function *f, uint64_t *random, unsigned range,
			unsigned most)
{
	f->n_sketch = 0;
	for (uint32_t hash = 0; hash < range && f->n_sketch < most; hash++)
		if (random_u64(random) % 2)
			f->sketch[f->n_sketch++] = hash;
}

static bool has(const struct compared_function *f, uint32_t hash)
{
	for (unsigned i = 0; i < f->n_sketch; i++)
		if (f->sketch[i] == hash)
			return true;
	return false;
}

START_TEST(similarities)
{
	uint64_t random = 1;

	for (unsigned round = 0; round < 300; round++) {
		unsigned range = 1 + (unsigned)(random_u64(&random) % 200), both = 0, all = 0;
		struct compared_function a, b;

		fill_sketch(&a, &random, range, (unsigned)(random_u64(&random) % 65));
		fill_sketch(&b, &random, range, (unsigned)(random_u64(&random) % 65));
		for (uint32_t hash = 0; hash < range && all < SKETCH_HASHES; hash++) {
			all += has(&a, hash) || has(&b, hash);
			both += has(&a, hash) && has(&b, hash);
		}
		ck_assert(sketch_similarity(&a, &b) == (all ? (double)both / all : 0));
		ck_assert(sketch_similarity(&a, &b) == sketch_similarity(&b, &a));
	}
}
END_TEST

/* ---- alignments -------------------------------------------------------------------------- */

enum { DIMENSIONS = 6, MOST_MODELLED = 6 };

static void add_interval(struct intervals *list, const double *shares)
{
	struct interval interval = { .instructions = 1 };

	for (uint32_t i = 0; i < DIMENSIONS; i++) {
		if (!shares[i])
			continue;
		ck_assert(RESERVE(interval.weights, interval.weights.count + 1));
		interval.weights.at[interval.weights.count++] = (struct weight){ i, shares[i] };
	}
	ck_assert(RESERVE(*list, list->count + 1));
	list->at[list->count++] = interval;
}

static void add_random_intervals(struct intervals *list, double shares[][DIMENSIONS], size_t count,
				 uint64_t *random)
{
	for (size_t i = 0; i < count; i++) {
		double sum = 0;

		for (unsigned d = 0; d < DIMENSIONS; d++)
			sum += shares[i][d] = (double)(random_u64(random) % 4 *
						       (random_u64(random) % 2));
		for (unsigned d = 0; d < DIMENSIONS; d++)
			shares[i][d] = sum ? shares[i][d] / sum : d == 0;
		add_interval(list, shares[i]);
	}
}

static double distance_of(const double *a, const double *b)
{
	double sum = 0;

	for (unsigned d = 0; d < DIMENSIONS; d++)
		sum += fabs(a[d] - b[d]);
	return sum / 2;
}

/* Returns the least sum over all ways from the beginning to (i, j). */
static double least_sum(double a[][DIMENSIONS], double b[][DIMENSIONS], size_t i, size_t j)
{
	double distance = distance_of(a[i], b[j]), least = INFINITY;

	if (!i && !j)
		return 2 * distance;
	if (i && j)
		least = least_sum(a, b, i - 1, j - 1) + 2 * distance;
	if (i)
		least = fmin(least, least_sum(a, b, i - 1, j) + distance);
	if (j)
		least = fmin(least, least_sum(a, b, i, j - 1) + distance);
	return least;
}

/* Checks that the steps lead from the first intervals to the last ones, and cost what they say. */
static void check_steps(const struct alignment *alignment, double a[][DIMENSIONS], size_t n_a,
			double b[][DIMENSIONS], size_t n_b)
{
	double sum = 0;

	for (size_t s = 0; s < alignment->steps.count; s++) {
		const struct aligned *step = &alignment->steps.at[s];
		uint32_t forward_a = s ? step->of[0] - step[-1].of[0] : 1;
		uint32_t forward_b = s ? step->of[1] - step[-1].of[1] : 1;

		ck_assert(forward_a <= 1 && forward_b <= 1 && forward_a + forward_b);
		ck_assert(fabs(step->distance - distance_of(a[step->of[0]], b[step->of[1]])) <
			  1e-9);
		sum += (forward_a + forward_b) * step->distance;
	}
	ck_assert(alignment->steps.at[0].of[0] == 0 && alignment->steps.at[0].of[1] == 0);
	ck_assert_uint_eq(alignment->steps.at[alignment->steps.count - 1].of[0], n_a - 1);
	ck_assert_uint_eq(alignment->steps.at[alignment->steps.count - 1].of[1], n_b - 1);
	ck_assert(fabs(sum / (double)(n_a + n_b) - alignment->distance) < 1e-9);
}

START_TEST(alignments)
{
	uint64_t random = 7;

	for (unsigned round = 0; round < 200; round++) {
		size_t n_a = 1 + random_u64(&random) % MOST_MODELLED;
		size_t n_b = 1 + random_u64(&random) % MOST_MODELLED;
		double a[MOST_MODELLED][DIMENSIONS], b[MOST_MODELLED][DIMENSIONS];
		struct intervals of_a = { 0 }, of_b = { 0 };

		add_random_intervals(&of_a, a, n_a, &random);
		add_random_intervals(&of_b, b, n_b, &random);
		struct alignment there = align_intervals(&of_a, &of_b);
		struct alignment back = align_intervals(&of_b, &of_a);

		ck_assert(fabs(there.distance -
			       least_sum(a, b, n_a - 1, n_b - 1) / (double)(n_a + n_b)) < 1e-9);
		ck_assert(fabs(there.distance - back.distance) < 1e-9);
		check_steps(&there, a, n_a, b, n_b);
		free(there.steps.at);
		free(back.steps.at);
		free_intervals(&of_a);
		free_intervals(&of_b);
	}
}
END_TEST

START_TEST(no_intervals)
{
	struct intervals none = { 0 }, one = { 0 };
	double shares[DIMENSIONS] = { 1 };
	struct alignment alignment;

	add_interval(&one, shares);
	alignment = align_intervals(&none, &one);
	ck_assert(isnan(alignment.distance));
	ck_assert_uint_eq(alignment.steps.count, 0);
	free_intervals(&one);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compare");
	TCase *tests = tcase_create("compare");

	tcase_add_test(tests, names_of_functions);
	tcase_add_test(tests, names_of_modules);
	tcase_add_test(tests, places);
	tcase_add_test(tests, limits);
	tcase_add_test(tests, wrong_limits);
	tcase_add_test(tests, similarities);
	tcase_add_test(tests, alignments);
	tcase_add_test(tests, no_intervals);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
