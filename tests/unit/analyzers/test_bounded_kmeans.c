/* SPDX-License-Identifier: MIT */
/* k-means with bounds gives the result of the plain iteration to the last bit, with ties, weights and
 * empty clusters, by any number of groups and cores; merging and projecting many points. */
#include <math.h>
#include <string.h>

#include "analyzers/simpoint/float_search.h"
#include "analyzers/simpoint/sign_projection.h"
#include "cli/common/checked.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

/* Points around some centres; whole: at few places, so that many are the same. */
static struct float_points make_points(uint64_t seed, size_t n, unsigned dim, unsigned clusters,
				       bool whole)
{
	struct float_points p;

	float_points_begin(&p, dim);
	float_points_add(&p, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t of_cluster = 77 + random_below(&seed, clusters);

		p.weights[i] = 1 + random_below(&seed, 4);
		for (unsigned j = 0; j < dim; j++) {
			unsigned centre = random_below(&of_cluster, 5);
			unsigned noise = random_below(&seed, whole ? 2 : 1000);

			float_point(&p, i)[j] = (float)centre + (float)noise / (whole ? 1 : 700);
		}
	}
	return p;
}

static struct clustering new_clustering(const struct float_points *p, unsigned k)
{
	struct clustering c = { .k = k, .dim = p->dim };

	c.initial = checked_array((size_t)k * p->dim, sizeof(double));
	c.centres = checked_array((size_t)k * p->dim, sizeof(double));
	c.weights = checked_array(k, sizeof(double));
	c.labels = checked_array(p->n, sizeof(*c.labels));
	return c;
}

/* ---- the plain iteration ------------------------------------------------------------------ */

static bool plain_assign(const struct float_points *p, struct clustering *c, bool first)
{
	float *centres = checked_array((size_t)c->k * p->stride, sizeof(*centres));
	bool changed = first;

	for (unsigned k = 0; k < c->k; k++)
		for (unsigned j = 0; j < p->dim; j++)
			centres[k * p->stride + j] = (float)c->centres[k * p->dim + j];
	for (size_t i = 0; i < p->n; i++) {
		float least = INFINITY;
		uint32_t nearest = 0;

		for (uint32_t k = 0; k < c->k; k++) {
			float d = float_distance(float_point(p, i), centres + k * p->stride,
						 p->stride);

			if (d < least) {
				least = d;
				nearest = k;
			}
		}
		changed |= nearest != c->labels[i];
		c->labels[i] = nearest;
	}
	free(centres);
	return changed;
}

/* Sums of chunks are added in their order. */
static void plain_average(const struct float_points *p, struct clustering *c)
{
	size_t size = (size_t)c->k * p->dim;
	double *all = checked_array(size, sizeof(*all)), *some = checked_array(size, sizeof(*some));

	memset(c->weights, 0, c->k * sizeof(*c->weights));
	for (size_t from = 0; from < p->n; from += CHUNK_ROWS) {
		memset(some, 0, size * sizeof(*some));
		for (size_t i = from; i < p->n && i < from + CHUNK_ROWS; i++) {
			for (unsigned j = 0; j < p->dim; j++)
				some[c->labels[i] * p->dim + j] += p->weights[i] *
								   (double)float_point(p, i)[j];
			c->weights[c->labels[i]] += p->weights[i];
		}
		for (size_t j = 0; j < size; j++)
			all[j] += some[j];
	}
	for (unsigned k = 0; k < c->k; k++)
		for (unsigned j = 0; j < p->dim && c->weights[k] > 0; j++)
			c->centres[k * p->dim + j] = all[k * p->dim + j] / c->weights[k];
	free(all);
	free(some);
}

static void plain_iterate(const struct float_points *p, struct clustering *c, unsigned limit)
{
	bool changed;

	memcpy(c->centres, c->initial, (size_t)c->k * p->dim * sizeof(double));
	changed = plain_assign(p, c, true);
	for (c->iterations = 0; c->iterations < limit && changed; c->iterations++) {
		plain_average(p, c);
		changed = plain_assign(p, c, false);
	}
}

static void check_same(const struct float_points *p, const struct clustering *a,
		       const struct clustering *b)
{
	ck_assert_uint_eq(a->iterations, b->iterations);
	ck_assert(!memcmp(a->labels, b->labels, p->n * sizeof(*a->labels)));
	ck_assert(!memcmp(a->centres, b->centres, (size_t)a->k * p->dim * sizeof(double)));
}

START_TEST(bounded_is_plain)
{
	static const struct {
		size_t n;
		unsigned dim, k, clusters, limit, n_groups;
		bool whole;
	} cases[] = {
		{ 9000, 7, 5, 5, 100, 0, false },    { 9000, 16, 60, 40, 100, 0, false },
		{ 5000, 3, 100, 200, 8, 0, false },  { 5000, 3, 40, 20, 100, 13, true },
		{ 3000, 100, 35, 35, 100, 3, true }, { 4097, 2, 64, 1, 30, 5, false },
		{ 100, 5, 1, 3, 10, 0, false },      { 1, 4, 1, 1, 10, 0, false },
	};
	struct float_points p = make_points(500 + (uint64_t)_i, cases[_i].n, cases[_i].dim,
					    cases[_i].clusters, cases[_i].whole);
	struct clustering plain = new_clustering(&p, cases[_i].k);
	struct random random;

	random_seed(&random, 7);
	bounded_initial(&p, plain.k, cases[_i].whole ? INITIAL_SAMPLE : INITIAL_PLUS_PLUS, &random,
			plain.initial);
	if (cases[_i].whole) /* a cluster that no point is nearest to would be filled again */
		bounded_initial(&p, plain.k, INITIAL_FURTHEST, &random, plain.initial);
	plain_iterate(&p, &plain, cases[_i].limit);
	for (unsigned jobs = 1; jobs < 4; jobs++) {
		struct clustering bounded = new_clustering(&p, cases[_i].k);

		memcpy(bounded.initial, plain.initial, (size_t)plain.k * p.dim * sizeof(double));
		bounded_iterate(&p, &bounded, cases[_i].limit, cases[_i].n_groups, jobs);
		check_same(&p, &plain, &bounded);
		clustering_free(&bounded);
	}
	clustering_free(&plain);
	float_points_free(&p);
}
END_TEST

/* Clusters that begin at the same place are filled, and none is empty at the end. */
START_TEST(no_cluster_is_empty)
{
	struct float_points p = make_points(3, 2000, 6, 10, false);
	struct clustering c = new_clustering(&p, 40);
	size_t counts[40] = { 0 };

	for (unsigned k = 0; k < 40; k++)
		for (unsigned j = 0; j < 6; j++)
			c.initial[k * 6 + j] = (double)float_point(&p, k / 20)[j];
	bounded_iterate(&p, &c, 100, 0, 2);
	for (size_t i = 0; i < p.n; i++)
		counts[c.labels[i]]++;
	for (unsigned k = 0; k < 40; k++)
		ck_assert_uint_gt(counts[k], 0);
	clustering_free(&c);
	float_points_free(&p);
}
END_TEST

/* ---- many points -------------------------------------------------------------------------- */

/* Rand's index, adjusted for chance (Hubert and Arabie: Comparing partitions, 1985). */
static double adjusted_rand(const uint32_t *a, const unsigned *b, size_t n, unsigned k_a,
			    unsigned k_b)
{
	double *both = checked_array((size_t)k_a * k_b, sizeof(*both));
	double *of_a = checked_array(k_a, sizeof(*of_a)), *of_b = checked_array(k_b, sizeof(*of_b));
	double pairs = 0, pairs_a = 0, pairs_b = 0, expected;

	for (size_t i = 0; i < n; i++) {
		both[(size_t)a[i] * k_b + b[i]]++;
		of_a[a[i]]++;
		of_b[b[i]]++;
	}
	for (size_t i = 0; i < (size_t)k_a * k_b; i++)
		pairs += both[i] * (both[i] - 1) / 2;
	for (unsigned i = 0; i < k_a; i++)
		pairs_a += of_a[i] * (of_a[i] - 1) / 2;
	for (unsigned i = 0; i < k_b; i++)
		pairs_b += of_b[i] * (of_b[i] - 1) / 2;
	expected = pairs_a * pairs_b / ((double)n * ((double)n - 1) / 2);
	free(both);
	free(of_a);
	free(of_b);
	return (pairs - expected) / ((pairs_a + pairs_b) / 2 - expected);
}

/* Projects vectors of 40 kinds of intervals, with noise; returns which kind each is. */
static unsigned *project_kinds(size_t n, unsigned n_blocks, unsigned dim, struct float_points *p)
{
	enum { KINDS = 40 };
	unsigned *kinds = checked_array(n, sizeof(*kinds));
	uint64_t *identities = checked_array(n_blocks, sizeof(*identities));
	double *counts = checked_array(n_blocks, sizeof(*counts));
	uint64_t seed = 1;

	float_points_begin(p, dim);
	float_points_add(p, n);
	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		kinds[i] = random_below(&seed, KINDS);
		for (unsigned b = 0; b < n_blocks; b++) {
			uint64_t block = (uint64_t)kinds[i] * 1000 + b;

			identities[b] = random_u64(&block);
			counts[b] = 1000 + random_below(&seed, 100);
			sum += counts[b];
		}
		sign_project(identities, counts, n_blocks, sum, dim, float_point(p, i));
		p->weights[i] = 1.0 / (double)n;
	}
	free(identities);
	free(counts);
	return kinds;
}

START_TEST(finds_kinds)
{
	size_t n = is_quick() ? 30000 : 1000000;
	struct float_sample sample = { .represents = n,
				       .initial = INITIAL_PLUS_PLUS,
				       .iterations = 100 };
	struct search_options options = { .max_k = 100,
					  .n_seeds = 3,
					  .threshold = 0.9,
					  .seed = 5,
					  .grid = true,
					  .jobs = 2,
					  .cluster = float_sample_cluster,
					  .cluster_opaque = &sample };
	struct clustering one, two;
	struct float_points p;
	struct search search;
	unsigned *kinds = project_kinds(n, 20, 100, &p);
	size_t *places = float_sample_draw(&p, is_quick() ? 3000 : 20000, 9, &sample.points);

	search_run(NULL, &options, &search);
	float_refine(&p, search_best(&search, search.chosen), 10, 1, &one);
	float_refine(&p, search_best(&search, search.chosen), 10, 2, &two);
	ck_assert(!memcmp(one.labels, two.labels, n * sizeof(*one.labels)));
	ck_assert(!memcmp(one.centres, two.centres, (size_t)one.k * 100 * sizeof(double)));
	ck_assert_double_ge(adjusted_rand(one.labels, kinds, n, one.k, 40), 0.99);
	clustering_free(&one);
	clustering_free(&two);
	search_free(&search);
	float_points_free(&sample.points);
	float_points_free(&p);
	free(places);
	free(kinds);
}
END_TEST

START_TEST(merges_equal_points)
{
	struct float_points p;
	uint32_t *stands;

	float_points_begin(&p, 3);
	float_points_add(&p, 5);
	for (size_t i = 0; i < 5; i++) {
		float_point(&p, i)[0] = i % 2 ? 1 : 5;
		float_point(&p, i)[2] = i == 4 ? 0.5f : i == 2 ? 1e-5f : 0;
		p.weights[i] = (double)(1 << i);
	}
	stands = float_points_merge(&p);
	ck_assert_uint_eq(p.n, 3);
	for (size_t i = 0; i < 5; i++)
		ck_assert_uint_eq(stands[i], i == 4 ? 2 : i % 2);
	ck_assert_double_eq(p.weights[0], 5);
	ck_assert_double_eq(p.weights[1], 10);
	ck_assert_double_eq(p.weights[2], 16);
	ck_assert_float_eq(float_point(&p, 2)[2], 0.5f);
	free(stands);
	float_points_free(&p);
}
END_TEST

/* A projection keeps distances, whatever the order of the blocks. */
START_TEST(projection_keeps_distances)
{
	enum { N = 50, DIM = 256 };
	uint64_t identities[N], turned[N], seed = 4;
	double a[N], b[N], a_turned[N], sum_a = 0, sum_b = 0, exact = 0, found = 0;
	float x[DIM], y[DIM], x_turned[DIM];

	for (unsigned i = 0; i < N; i++) {
		turned[N - 1 - i] = identities[i] = random_u64(&seed);
		a_turned[N - 1 - i] = a[i] = random_below(&seed, 1000);
		b[i] = random_below(&seed, 1000);
		sum_a += a[i];
		sum_b += b[i];
	}
	sign_project(identities, a, N, sum_a, DIM, x);
	sign_project(identities, b, N, sum_b, DIM, y);
	sign_project(turned, a_turned, N, sum_a, DIM, x_turned);
	ck_assert(!memcmp(x, x_turned, sizeof(x)));
	for (unsigned i = 0; i < N; i++)
		exact += (a[i] / sum_a - b[i] / sum_b) * (a[i] / sum_a - b[i] / sum_b);
	for (unsigned j = 0; j < DIM; j++)
		found += (double)((x[j] - y[j]) * (x[j] - y[j]));
	ck_assert_double_eq_tol(found / exact, 1, 4 * sqrt(2.0 / DIM));
}
END_TEST

/* Small counts are projected in whole numbers, and great ones to the same points. */
START_TEST(projection_of_small_counts)
{
	enum { N = 300, DIM = 256 };
	static const unsigned dims[] = { 1, 3, 64, 100, DIM };
	uint64_t identities[N], seed = 5;
	double small[N], great[N], sum = 0;
	float x[DIM], y[DIM];

	for (unsigned i = 0; i < N; i++) {
		identities[i] = random_u64(&seed);
		small[i] = random_below(&seed, INT32_MAX / N);
		great[i] = small[i] * 0x1p20;
		sum += small[i];
	}
	for (unsigned d = 0; d < sizeof(dims) / sizeof(*dims); d++) {
		sign_project(identities, small, N, sum, dims[d], x);
		sign_project(identities, great, N, sum * 0x1p20, dims[d], y);
		ck_assert(!memcmp(x, y, dims[d] * sizeof(*x)));
	}
}
END_TEST

/* Returns the point that is farthest from those chosen, the first of several. */
static size_t farthest_of_all(const struct float_points *p, const size_t *chosen, unsigned n)
{
	float greatest = -1;
	size_t found = 0;

	for (size_t i = 0; i < p->n; i++) {
		float least = INFINITY;

		for (unsigned c = 0; c < n; c++)
			least = fminf(least, float_distance(float_point(p, i),
							    float_point(p, chosen[c]), p->stride));
		if (least > greatest) {
			greatest = least;
			found = i;
		}
	}
	return found;
}

/* Distances that bounds leave out would change nothing. */
START_TEST(furthest_is_plain)
{
	enum { K = 60, DIM = 12 };
	struct float_points p = make_points(77, 3000, DIM, 20, false);
	double centres[K * DIM];
	struct random random;
	size_t chosen[K] = { 0 };

	random_seed(&random, 3);
	bounded_initial(&p, K, INITIAL_FURTHEST, &random, centres);
	for (unsigned c = 0; c < K; c++) {
		if (c)
			chosen[c] = farthest_of_all(&p, chosen, c);
		for (size_t i = 0; !c && i < p.n; i++)
			if ((double)float_point(&p, i)[0] == centres[0])
				chosen[0] = i;
		for (unsigned j = 0; j < DIM; j++)
			ck_assert_double_eq((double)float_point(&p, chosen[c])[j],
					    centres[c * DIM + j]);
	}
	float_points_free(&p);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bounded_kmeans");
	TCase *tcase = tcase_create("bounded_kmeans");

	tcase_set_timeout(tcase, 1800);
	tcase_add_loop_test(tcase, bounded_is_plain, 0, 8);
	tcase_add_test(tcase, no_cluster_is_empty);
	tcase_add_test(tcase, finds_kinds);
	tcase_add_test(tcase, merges_equal_points);
	tcase_add_test(tcase, projection_keeps_distances);
	tcase_add_test(tcase, projection_of_small_counts);
	tcase_add_test(tcase, furthest_is_plain);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
