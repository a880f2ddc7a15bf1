/* SPDX-License-Identifier: MIT */
/* Each task processes each batch once and in order, and a batch is filled only after all tasks. */
#include "analyzers/common/workers.h"
#include "tests/unit/run_suite.h"

enum { TASKS = 5, BATCHES = 3, ROUNDS = 2000 };

struct work {
	unsigned batches[BATCHES]; /* what they have */
	unsigned done[TASKS];      /* batches */
	unsigned wrong[TASKS];     /* batches that came in another order */
};

static void work(void *opaque, unsigned task, unsigned batch)
{
	struct work *w = opaque;

	w->wrong[task] += w->batches[batch] != w->done[task];
	w->done[task]++;
}

static void check_threads(unsigned n_threads)
{
	struct work w = { 0 };
	struct workers *workers = workers_new(n_threads, TASKS, BATCHES, work, &w);

	for (unsigned round = 0; round < ROUNDS; round++) {
		w.batches[workers_batch(workers)] = round;
		workers_hand_out(workers);
		if (round % 100 == 0)
			workers_finish(workers);
		for (unsigned task = 0; round % 100 == 0 && task < TASKS; task++)
			ck_assert_uint_eq(w.done[task], round + 1);
	}
	workers_free(workers);
	for (unsigned task = 0; task < TASKS; task++) {
		ck_assert_uint_eq(w.done[task], ROUNDS);
		ck_assert_uint_eq(w.wrong[task], 0);
	}
}

START_TEST(tasks_process_batches_in_order)
{
	check_threads(_i);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workers");
	TCase *tests = tcase_create("workers");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, tasks_process_batches_in_order, 0, 4);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
