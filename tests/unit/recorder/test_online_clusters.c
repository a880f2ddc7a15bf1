/* SPDX-License-Identifier: MIT */
/* Clusters of intervals, and which intervals the prediction of phases records, on schedules of phases. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "recorder/core/interval_clusters.h"
#include "recorder/core/phase_prediction.h"
#include "tests/unit/run_suite.h"

/* ---- clusters ---- */

/* Sets a sketch with two numbers that are not 0. */
static const float *sketch(float first, float second)
{
	static float at[VECTOR_SKETCH];

	at[0] = first;
	at[1] = second;
	return at;
}

START_TEST(distances)
{
	float a[VECTOR_SKETCH] = { 1 }, b[VECTOR_SKETCH] = { 0, 1 }, none[VECTOR_SKETCH] = { 0 };

	ck_assert(interval_clusters_distance(a, a) == 0);
	ck_assert(interval_clusters_distance(none, none) == 0);
	ck_assert(fabs(interval_clusters_distance(a, b) - 1) < 1e-12);
	ck_assert(interval_clusters_distance(a, none) == 1);
	a[0] = b[0] = 3;
	ck_assert(fabs(interval_clusters_distance(a, b) - 1 / sqrt(19)) < 1e-12);
}
END_TEST

START_TEST(nearest_leader_within_the_radius)
{
	struct interval_clusters *c = interval_clusters_new(0.1, 3);
	double distance;

	ck_assert(c);
	ck_assert_uint_eq(interval_clusters_assign(c, sketch(1, 0), &distance), 0);
	ck_assert(distance == 0);
	ck_assert_uint_eq(interval_clusters_assign(c, sketch(1, 0.1f), &distance), 0);
	ck_assert(distance > 0.07 && distance < 0.08);
	ck_assert_uint_eq(interval_clusters_assign(c, sketch(1, 0.2f), &distance), 1);
	ck_assert(distance == 0);
	ck_assert_uint_eq(interval_clusters_assign(c, sketch(1, 0.15f), &distance), 1);
	ck_assert_uint_eq(interval_clusters_assign(c, sketch(0, 1), &distance), 2);
	ck_assert_uint_eq(interval_clusters_n(c), 3);
	interval_clusters_free(c);
}
END_TEST

START_TEST(no_more_than_the_most)
{
	struct interval_clusters *c = interval_clusters_new(0.1, 2);
	double distance;

	ck_assert(c);
	interval_clusters_assign(c, sketch(1, 0), &distance);
	interval_clusters_assign(c, sketch(0, 1), &distance);
	ck_assert_uint_eq(interval_clusters_assign(c, sketch(0.1f, -1), &distance), 0);
	ck_assert(distance > 0.9);
	ck_assert_uint_eq(interval_clusters_n(c), 2);
	interval_clusters_free(c);
}
END_TEST

/* ---- prediction ---- */

enum { MOST = 26 };

/* Returns for each phase of a schedule R if it is recorded and the first of its phase that is, r if it is
 * recorded in vain, else a point. */
static const char *recorded(const char *schedule)
{
	static char result[128];
	struct phase_prediction *p = phase_prediction_new(MOST);
	bool seen[MOST] = { false }, found[MOST] = { false };
	size_t n = strlen(schedule);

	ck_assert(p && n < sizeof(result));
	for (size_t i = 0; i < n; i++) {
		uint32_t cluster = (uint32_t)(schedule[i] - 'A');
		bool wanted = phase_prediction_wants(p);

		phase_prediction_add(p, cluster, !seen[cluster]);
		seen[cluster] = true;
		result[i] = !wanted ? '.' : found[cluster] ? 'r' : 'R';
		if (!wanted || found[cluster])
			continue;
		found[cluster] = true;
		phase_prediction_found(p, cluster);
	}
	result[n] = '\0';
	phase_prediction_free(p);
	return result;
}

START_TEST(phases_that_last)
{
	ck_assert_str_eq(recorded("AAABBAAACDDDD"), "Rr..R....Rr..");
}
END_TEST

START_TEST(new_code_after_new_code)
{
	ck_assert_str_eq(recorded("ABCDEEE"), "RRRRRr.");
}
END_TEST

START_TEST(brief_phases_after_runs_of_equal_length)
{
	ck_assert_str_eq(recorded("AAABAAABAAABA"), "Rr..r..R.....");
}
END_TEST

START_TEST(brief_phases_after_runs_of_different_length)
{
	/* B is missed after two and after four intervals of A, so it is expected after two to four */
	ck_assert_str_eq(recorded("AABAAAABAAAB"), "Rr.r.r..r.rR");
}
END_TEST

START_TEST(attempts_are_limited)
{
	char schedule[128] = "AAAB";
	size_t in_vain = 0;

	/* B comes after three of A, and never again */
	while (strlen(schedule) < 120)
		strcat(schedule, "AAAC");
	for (const char *at = recorded(schedule); *at; at++)
		in_vain += *at == 'r';
	ck_assert_uint_le(in_vain, 2 + 2 + 16);
	ck_assert_uint_ge(in_vain, 16);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("online clusters");
	TCase *tests = tcase_create("online clusters");

	tcase_add_test(tests, distances);
	tcase_add_test(tests, nearest_leader_within_the_radius);
	tcase_add_test(tests, no_more_than_the_most);
	tcase_add_test(tests, phases_that_last);
	tcase_add_test(tests, new_code_after_new_code);
	tcase_add_test(tests, brief_phases_after_runs_of_equal_length);
	tcase_add_test(tests, brief_phases_after_runs_of_different_length);
	tcase_add_test(tests, attempts_are_limited);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
