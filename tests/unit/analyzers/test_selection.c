/* SPDX-License-Identifier: MIT */
/* Points are divided among strata by Neyman's rule; points drawn by chance stay such if bounds must be proven. */
#include "analyzers/simpoint/proven_markers.h"
#include "cli/common/checked.h"
#include "tests/unit/run_suite.h"

START_TEST(allocates_in_proportion)
{
	struct stratum strata[] = { { .cluster = 0, .intervals = 100 },
				    { .cluster = 1, .intervals = 300 },
				    { .cluster = 2, .intervals = 1 },
				    { .cluster = 3, .intervals = 5 },
				    { .cluster = 4, .intervals = 50 } };
	const double spreads[] = { 3, 1, 9, 1000, 0 };

	select_allocate(strata, 5, spreads, 72);
	ck_assert_uint_eq(strata[2].points, 1);
	ck_assert_uint_eq(strata[3].points, 5); /* all that it has */
	ck_assert_uint_eq(strata[4].points, 2);
	ck_assert_uint_eq(strata[0].points, 32); /* 60 more, which the first two share equally */
	ck_assert_uint_eq(strata[1].points, 32);
	select_allocate(strata, 5, spreads, 3); /* fewer than two each */
	ck_assert_uint_eq(strata[0].points, 2);
	select_allocate(strata, 5, spreads, 10000);
	ck_assert_uint_eq(strata[0].points, 100);
	ck_assert_uint_eq(strata[1].points, 300);
	ck_assert_uint_eq(strata[4].points, 2);
}
END_TEST

enum { N = 40 };

static struct selection select_of(const uint32_t *labels, const double *distances, unsigned points,
				  enum select_by by)
{
	double weights[N];
	struct members members = { .n = N,
				   .weights = weights,
				   .labels = labels,
				   .distances = distances,
				   .n_clusters = 2 };
	const struct select_options options = { .by = by, .per_cluster = points, .seed = 5 };
	struct selection selection;

	for (unsigned i = 0; i < N; i++)
		weights[i] = 1.0 / N;
	select_points(&members, &options, &selection);
	return selection;
}

static bool has(const struct selection *s, size_t interval)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->at[i].interval == interval)
			return true;
	return false;
}

/* A point that must move goes to the interval that would have been selected next. */
START_TEST(moves_to_the_next)
{
	enum select_by by = _i ? SELECT_RANDOM : SELECT_CENTRE;
	struct selection three, four;
	struct proven_markers proven = { .n = N, .at = checked_array(N + 1, sizeof(bool)) };
	uint32_t labels[N];
	double distances[N];
	size_t moved;

	for (unsigned i = 0; i < N; i++) {
		labels[i] = i % 2;
		distances[i] = i * 7 % 40;
	}
	three = select_of(labels, distances, 3, by);
	four = select_of(labels, distances, 4, by);
	ck_assert_uint_eq(three.n, 6);
	ck_assert_uint_eq(four.n, 8);
	for (unsigned i = 0; i < three.n; i++)
		ck_assert(has(&four, three.at[i].interval));
	for (unsigned i = 0; i <= N; i++)
		proven.at[i] = true;
	moved = three.at[0].interval;
	proven.at[moved] = false; /* where the interval before it ends, too */
	if (moved)
		ck_assert(!has(&four, moved - 1));
	ck_assert_uint_eq(proven_markers_prefer(&proven, &three), 0);
	ck_assert(!has(&three, moved));
	for (unsigned i = 0; i < three.n; i++)
		ck_assert(has(&four, three.at[i].interval));
	proven_markers_free(&proven);
	selection_free(&three);
	selection_free(&four);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("selection");
	TCase *tcase = tcase_create("selection");

	tcase_add_test(tcase, allocates_in_proportion);
	tcase_add_loop_test(tcase, moves_to_the_next, 0, 2);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
