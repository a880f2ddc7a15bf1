/* SPDX-License-Identifier: MIT */
/*
 * Each task processes each batch once and in order, behind the task before it if the tasks are
 * stages, and a batch is filled only after all tasks.
 */
#include "analyzers/common/workers.h"
#include "tests/unit/run_suite.h"

enum { TASKS = 5, BATCHES = 8, ROUNDS = 2000 };

struct work {
	unsigned batches[BATCHES]; /* what they have */
	unsigned done[TASKS];      /* batches */
	unsigned wrong[TASKS];     /* batches that came in another order */
	bool in_stages;
	unsigned last[BATCHES]; /* the task that has processed the batch last, plus 1 */
	bool early[TASKS];      /* before the stage before it */
};

static void work(void *opaque, unsigned task, unsigned batch)
{
	struct work *w = opaque;

	w->wrong[task] += w->batches[batch] != w->done[task];
	w->done[task]++;
	if (!w->in_stages)
		return;
	w->early[task] |= w->last[batch] != task;
	w->last[batch] = task + 1 == TASKS ? 0 : task + 1;
}

static void check_threads(unsigned n_threads, bool in_stages)
{
	struct work w = { .in_stages = in_stages };
	struct workers *workers = workers_new(n_threads, TASKS, BATCHES, work, &w);

	if (in_stages)
		workers_in_stages(workers);
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
		ck_assert(!w.early[task]);
	}
}

START_TEST(tasks_process_batches_in_order)
{
	check_threads(_i, false);
}
END_TEST

START_TEST(stages_follow_each_other)
{
	check_threads(_i, true);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workers");
	TCase *tests = tcase_create("workers");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, tasks_process_batches_in_order, 0, 4);
	tcase_add_loop_test(tests, stages_follow_each_other, 0, 4);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
