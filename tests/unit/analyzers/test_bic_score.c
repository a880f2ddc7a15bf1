/* SPDX-License-Identifier: MIT */
/* The score of a clustering is its likelihood, point by point, less the price of its parameters. */
#include <math.h>

#include "analyzers/simpoint/search.h"
#include "tests/unit/run_suite.h"

enum { N = 7, DIM = 2, K = 3 };

static const double points[N][DIM] = { { 0, 0 }, { 2, 0 },  { 1, 3 }, { 9, 9 },
				       { 9, 8 }, { -5, 4 }, { -5, 5 } };
static uint32_t labels[N] = { 0, 0, 0, 1, 1, 2, 2 };
static const double centres[K][DIM] = { { 1, 1 }, { 9, 8.5 }, { -5, 4.5 } };
static const unsigned sizes[K] = { 3, 2, 2 };

static double from_centre(unsigned i)
{
	double x = points[i][0] - centres[labels[i]][0], y = points[i][1] - centres[labels[i]][1];

	return x * x + y * y;
}

/*
 * Returns the logarithm of the likelihood that points come from these clusters, which are spherical
 * Gaussians of one variance, less half of the logarithm of N for each free parameter: the weights of
 * all clusters but one, the centres and the variance.
 */
static double expected_score(double variance)
{
	const unsigned parameters = (K - 1) + K * DIM + 1;
	double score = 0;

	for (unsigned i = 0; i < N; i++) {
		double density = exp(-from_centre(i) / (2 * variance)) /
				 pow(2 * acos(-1) * variance, DIM / 2.0);

		score += log(density * sizes[labels[i]] / N);
	}
	return score - parameters / 2.0 * log(N);
}

/* each: the weight of a point */
static double score_of(double each, double noise)
{
	double weights[N], distances[N], of_clusters[K];
	const struct scored scored = { .n = N, .dim = DIM, .weights = weights, .represents = N };
	const struct clustering c = {
		.k = K, .dim = DIM, .weights = of_clusters, .labels = labels
	};

	for (unsigned i = 0; i < N; i++) {
		weights[i] = each;
		distances[i] = from_centre(i);
	}
	for (unsigned k = 0; k < K; k++)
		of_clusters[k] = sizes[k] * each;
	return bic_score(&scored, &c, distances, noise);
}

START_TEST(is_the_likelihood)
{
	double variance = 0;

	for (unsigned i = 0; i < N; i++)
		variance += from_centre(i) / (N * DIM);
	ck_assert_double_eq_tol(score_of(1.0 / N, 0), expected_score(variance), 1e-9);
	ck_assert_double_eq_tol(score_of(1.0 / N, variance / 2), expected_score(variance), 1e-9);
	ck_assert_double_eq_tol(score_of(1.0 / N, 2 * variance), expected_score(2 * variance),
				1e-9);
	ck_assert_double_eq_tol(score_of(3, 0), expected_score(variance), 1e-9);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bic_score");
	TCase *tests = tcase_create("bic_score");

	tcase_add_test(tests, is_the_likelihood);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
