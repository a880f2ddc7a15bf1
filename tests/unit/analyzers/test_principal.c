/* SPDX-License-Identifier: MIT */
/* Principal components against points made along known directions, and by their defining properties. */
#include <math.h>

#include "analyzers/simpoint/principal.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { N = 200, DIM = 9, C = PRINCIPAL_COMPONENTS };

static double at[N * DIM], weights[N];

/* Returns a number from -1 to 1. */
static double random_number(uint64_t *state)
{
	return 2 * ((double)(random_u64(state) >> 11) / 9007199254740992.0) - 1;
}

static struct points random_points(uint64_t *state, unsigned dim)
{
	double sum = 0;

	for (size_t i = 0; i < N; i++)
		sum += weights[i] = 1.1 + random_number(state);
	for (size_t i = 0; i < N; i++)
		weights[i] /= sum;
	for (size_t i = 0; i < (size_t)N * dim; i++)
		at[i] = 5 + random_number(state) * (double)(1 + i % dim);
	return (struct points){ .n = N, .dim = dim, .at = at, .weights = weights };
}

static double weighted(const struct principal *p, unsigned a, unsigned b)
{
	double sum = 0;

	for (size_t i = 0; i < N; i++)
		sum += weights[i] * p->at[i * C + a] * p->at[i * C + b];
	return sum;
}

static double variance_of(const struct points *p)
{
	double sum = 0;

	for (unsigned j = 0; j < p->dim; j++) {
		double mean = 0;

		for (size_t i = 0; i < N; i++)
			mean += weights[i] * point(p, i)[j];
		for (size_t i = 0; i < N; i++)
			sum += weights[i] * pow(point(p, i)[j] - mean, 2);
	}
	return sum;
}

/* Returns the inner product of two directions. */
static double inner(const struct principal *p, unsigned a, unsigned b)
{
	double sum = 0;

	for (unsigned j = 0; j < DIM; j++)
		sum += p->directions[a * DIM + j] * p->directions[b * DIM + j];
	return sum;
}

/* Returns how far a point is in a direction. */
static double along(const struct points *points, const struct principal *p, size_t i, unsigned a)
{
	double sum = 0;

	for (unsigned j = 0; j < DIM; j++)
		sum += p->directions[a * DIM + j] * point(points, i)[j];
	return sum;
}

/* Components have the mean 0, do not correlate, and have their shares of the variance. */
START_TEST(properties)
{
	uint64_t state = (uint64_t)_i + 1;
	struct points p = random_points(&state, DIM);
	struct principal principal;
	double total = variance_of(&p);

	principal_project(&p, C, &principal);
	for (unsigned a = 0; a < C; a++) {
		double mean = 0;

		for (size_t i = 0; i < N; i++)
			mean += weights[i] * principal.at[i * C + a];
		ck_assert_double_eq_tol(mean, 0, 1e-9);
		ck_assert_double_eq_tol(weighted(&principal, a, a), total * principal.shares[a],
					1e-9 * total);
		for (unsigned b = 0; b < a; b++) {
			ck_assert_double_eq_tol(weighted(&principal, a, b), 0, 1e-9 * total);
			ck_assert_double_ge(principal.shares[b], principal.shares[a]);
			ck_assert_double_eq_tol(inner(&principal, a, b), 0, 1e-12);
		}
		ck_assert_double_eq_tol(inner(&principal, a, a), 1, 1e-12);
		for (size_t i = 0; i < N; i++)
			ck_assert_double_eq_tol(along(&p, &principal, i, a) -
							along(&p, &principal, 0, a),
						principal.at[i * C + a] - principal.at[a], 1e-9);
	}
	ck_assert_double_eq_tol(principal.variance, total, 1e-9 * total);
	principal_free(&principal);
}
END_TEST

/* No direction has more variance than the first component. */
START_TEST(first_is_greatest)
{
	uint64_t state = (uint64_t)_i + 77;
	struct points p = random_points(&state, DIM);
	struct principal principal;
	double total = variance_of(&p);

	principal_project(&p, C, &principal);
	for (unsigned trial = 0; trial < 200; trial++) {
		double direction[DIM], length = 0, sum = 0, squares = 0;

		for (unsigned j = 0; j < DIM; j++) {
			direction[j] = random_number(&state);
			length += direction[j] * direction[j];
		}
		for (size_t i = 0; i < N; i++) {
			double along = 0;

			for (unsigned j = 0; j < DIM; j++)
				along += point(&p, i)[j] * direction[j] / sqrt(length);
			sum += weights[i] * along;
			squares += weights[i] * along * along;
		}
		ck_assert_double_le(squares - sum * sum, total * principal.shares[0] * (1 + 1e-9));
	}
	principal_free(&principal);
}
END_TEST

/* Points on a line have one component, which is the distance along the line. */
START_TEST(line)
{
	static const double direction[] = { 2. / 3, -1. / 3, 2. / 3 };
	struct points p = { .n = N, .dim = 3, .at = at, .weights = weights };
	struct principal principal;

	for (size_t i = 0; i < N; i++) {
		weights[i] = 1. / N;
		for (unsigned j = 0; j < 3; j++)
			at[i * 3 + j] = 1 + direction[j] * (double)i;
	}
	principal_project(&p, C, &principal);
	ck_assert_double_eq_tol(principal.shares[0], 1, 1e-12);
	for (size_t i = 0; i < N; i++) {
		ck_assert_double_eq_tol(principal.at[i * C], (double)i - (N - 1) / 2., 1e-9);
		ck_assert_double_eq_tol(principal.at[i * C + 1], 0, 1e-9);
	}
	principal_free(&principal);
}
END_TEST

/* Points of a single dimension, or points that are all equal, have other components of 0. */
START_TEST(degenerate)
{
	uint64_t state = 5;
	struct points p = random_points(&state, 1);
	struct principal principal;

	principal_project(&p, C, &principal);
	ck_assert_double_eq_tol(principal.shares[0], 1, 1e-12);
	ck_assert(principal.shares[1] == 0 && principal.at[1] == 0);
	principal_free(&principal);
	for (size_t i = 0; i < N; i++)
		at[i] = 7;
	principal_project(&p, C, &principal);
	for (size_t i = 0; i < (size_t)N * C; i++)
		ck_assert_double_eq_tol(principal.at[i], 0, 1e-12);
	principal_free(&principal);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("principal");
	TCase *tcase = tcase_create("principal");

	tcase_add_loop_test(tcase, properties, 0, 5);
	tcase_add_loop_test(tcase, first_is_greatest, 0, 3);
	tcase_add_test(tcase, line);
	tcase_add_test(tcase, degenerate);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
