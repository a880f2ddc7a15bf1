/* SPDX-License-Identifier: MIT */
/* Centres are merged as by a plain computation of sums of squares, and searches begin with merged centres. */
#include <math.h>
#include <string.h>

#include "analyzers/simpoint/project.h"
#include "analyzers/simpoint/search.h"
#include "analyzers/simpoint/ward.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { K = 14, DIM = 3 };

/* The mean of the centres of a group, and the weighted sum of their squared distances from it. */
static double squares_of(const double *centres, const double *weights, const unsigned *group,
			 unsigned a, unsigned b, double *mean)
{
	double weight = 0, squares = 0;

	memset(mean, 0, DIM * sizeof(*mean));
	for (unsigned c = 0; c < K; c++)
		if (group[c] == a || group[c] == b) {
			weight += weights[c];
			for (unsigned j = 0; j < DIM; j++)
				mean[j] += weights[c] * centres[c * DIM + j];
		}
	for (unsigned j = 0; j < DIM; j++)
		mean[j] /= weight;
	for (unsigned c = 0; c < K; c++)
		for (unsigned j = 0; j < DIM && (group[c] == a || group[c] == b); j++)
			squares += weights[c] * pow(centres[c * DIM + j] - mean[j], 2);
	return squares;
}

/* Joins the two groups that add least; a group's number is that of its first center. */
static void join_groups(const double *centres, const double *weights, unsigned *group)
{
	double least = HUGE_VAL, mean[DIM];
	unsigned first = 0, second = 0;

	for (unsigned a = 0; a < K; a++)
		for (unsigned b = a + 1; b < K; b++) {
			double added;

			if (group[a] != a || group[b] != b)
				continue;
			added = squares_of(centres, weights, group, a, b, mean) -
				squares_of(centres, weights, group, a, a, mean) -
				squares_of(centres, weights, group, b, b, mean);
			if (added < least) {
				least = added;
				first = a;
				second = b;
			}
		}
	for (unsigned c = 0; c < K; c++)
		if (group[c] == second)
			group[c] = first;
}

START_TEST(merges_as_plain)
{
	double centres[K * DIM], weights[K], merged[K * DIM], mean[DIM];
	uint64_t seed = 5 + (uint64_t)_i;
	unsigned group[K];

	for (unsigned c = 0; c < K; c++) {
		group[c] = c;
		weights[c] = 1 + random_below(&seed, 1000);
		for (unsigned j = 0; j < DIM; j++)
			centres[c * DIM + j] = random_below(&seed, 1000000);
	}
	for (unsigned n = K; n; n--) {
		unsigned at = 0;

		ward_merge(centres, weights, K, DIM, n, merged);
		for (unsigned c = 0; c < K; c++) {
			if (group[c] != c)
				continue;
			squares_of(centres, weights, group, c, c, mean);
			for (unsigned j = 0; j < DIM; j++)
				ck_assert_double_eq_tol(merged[at * DIM + j], mean[j], 1e-3);
			at++;
		}
		ck_assert_uint_eq(at, n);
		join_groups(centres, weights, group);
	}
}
END_TEST

START_TEST(centres_without_weight)
{
	const double centres[] = { 0, 9, 4, 7 }, weights[] = { 0, 2, 0, 6 };
	double merged[2];

	ward_merge(centres, weights, 4, 1, 2, merged);
	ck_assert_double_eq(merged[0], 9);
	ck_assert_double_eq(merged[1], 7);
}
END_TEST

static struct points make_points(uint64_t seed)
{
	struct points p = { .n = 300, .dim = DIM };

	p.at = checked_array(p.n * DIM, sizeof(*p.at));
	p.weights = checked_array(p.n, sizeof(*p.weights));
	for (size_t i = 0; i < p.n; i++) {
		uint64_t kind = 1000 + random_below(&seed, 9);

		p.weights[i] = 1.0 / (double)p.n;
		for (unsigned j = 0; j < DIM; j++)
			p.at[i * DIM + j] = random_below(&kind, 20) +
					    random_below(&seed, 1000) / 1000.0;
	}
	return p;
}

/* Returns the run before r with the fewest clusters above those of r; r: there is none. */
static size_t larger_before(const struct search *s, size_t r)
{
	size_t found = r;

	for (size_t i = 0; i < r; i++)
		if (s->runs.at[i].k > s->runs.at[r].k &&
		    (found == r || s->runs.at[i].k < s->runs.at[found].k))
			found = i;
	return found;
}

START_TEST(searches_begin_with_merged)
{
	struct points p = make_points(3);
	struct search_options o = { .max_k = 12,
				    .n_seeds = 2,
				    .iterations = 100,
				    .threshold = 0.9,
				    .seed = 1,
				    .jobs = 1,
				    .grid = _i };
	double merged[12 * DIM];
	struct search s;
	unsigned n = 0;

	search_run(&p, &o, &s);
	for (size_t r = 0; r < s.runs.count; r++) {
		const struct clustering *first = &s.runs.at[r].trials[0], *from;
		size_t larger = larger_before(&s, r);

		ck_assert_ptr_null(first->begin);
		if (larger == r)
			continue;
		from = search_best(&s, larger);
		ward_merge(from->centres, from->weights, from->k, DIM, s.runs.at[r].k, merged);
		ck_assert_mem_eq(merged, first->initial, s.runs.at[r].k * DIM * sizeof(*merged));
		n++;
	}
	ck_assert_uint_ge(n, 3);
	search_free(&s);
	points_free(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ward");
	TCase *tcase = tcase_create("ward");

	tcase_add_loop_test(tcase, merges_as_plain, 0, 20);
	tcase_add_test(tcase, centres_without_weight);
	tcase_add_loop_test(tcase, searches_begin_with_merged, 0, 2);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
