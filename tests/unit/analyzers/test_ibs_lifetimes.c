/* SPDX-License-Identifier: MIT */
/* Lifetimes of objects, if each call is known only to lie between two times. */
#include <check.h>

#include "analyzers/program/lifetimes.h"
#include "tests/unit/run_suite.h"

enum { THREADS = 3, PROCESS = 0, SIZE = 0x40, PLACE = 0x1000 };

static struct lifetimes lifetimes;
static uint32_t n_objects;

static void begin(void)
{
	lifetimes_init(&lifetimes, THREADS);
	n_objects = 0;
}

static void end(void)
{
	lifetimes_free(&lifetimes);
}

static void tick(uint32_t thread, uint64_t time)
{
	lifetimes_event(&lifetimes, &(struct tf_event){ .kind = TF_EVENT_TIME,
							.thread = thread,
							.time = { time } });
}

static void add(uint32_t thread, uint64_t address, uint64_t size)
{
	lifetimes_add(&lifetimes,
		      &(struct object_change){ .not_before = lifetimes_now(&lifetimes, thread),
					       .address = address,
					       .size = size,
					       .process = PROCESS,
					       .thread = thread,
					       .object = size ? n_objects++ : TF_NONE });
}

static void expect(uint64_t address, uint64_t time, enum certainty certainty, uint32_t object)
{
	uint32_t found;

	ck_assert_msg(lifetimes_find(&lifetimes, PROCESS, address, time, &found) == certainty,
		      "at %lu", (unsigned long)time);
	ck_assert_uint_eq(found, object);
}

/* Between two times of the thread it is uncertain whether an object exists. */
START_TEST(one_thread)
{
	tick(0, 100);
	add(0, PLACE, SIZE);
	tick(0, 200);
	tick(0, 300);
	add(0, PLACE, 0);
	tick(0, 400);
	add(0, PLACE, SIZE);
	add(0, PLACE, 0);
	add(0, PLACE, 2 * SIZE);
	tick(0, 500);
	lifetimes_end(&lifetimes);
	expect(PLACE, 99, NO_OBJECT, TF_NONE);
	expect(PLACE, 150, PERHAPS, TF_NONE);
	expect(PLACE, 200, CERTAIN, 0);
	expect(PLACE + SIZE - 1, 300, CERTAIN, 0);
	expect(PLACE + SIZE, 300, NO_OBJECT, TF_NONE);
	expect(PLACE - 1, 300, NO_OBJECT, TF_NONE);
	expect(PLACE, 350, PERHAPS, TF_NONE);
	expect(PLACE, 450, PERHAPS, TF_NONE);
	expect(PLACE, 500, CERTAIN, 2);
	expect(PLACE + SIZE, 1000, CERTAIN, 2);
}
END_TEST

/* A call of free() by another thread is ordered by its time, not by its position in the trace. */
START_TEST(freed_by_another)
{
	tick(1, 300);
	add(1, PLACE, 0);
	tick(1, 400);
	tick(0, 100);
	add(0, PLACE, SIZE);
	tick(0, 200);
	lifetimes_end(&lifetimes);
	expect(PLACE, 250, CERTAIN, 0);
	expect(PLACE, 300, CERTAIN, 0);
	expect(PLACE, 301, PERHAPS, TF_NONE);
	expect(PLACE, 401, NO_OBJECT, TF_NONE);
}
END_TEST

/* If either of two calls may have been first, nothing is certain, whatever calls lie between. */
START_TEST(disputed)
{
	tick(1, 100);
	add(1, PLACE, 0);
	tick(0, 200);
	add(0, PLACE, 0);
	add(0, PLACE, SIZE);
	tick(0, 300);
	tick(1, 400);
	lifetimes_end(&lifetimes);
	expect(PLACE, 350, PERHAPS, TF_NONE);
	expect(PLACE, 500, PERHAPS, TF_NONE);
}
END_TEST

START_TEST(reused_by_another)
{
	tick(0, 100);
	add(0, PLACE, SIZE);
	tick(0, 200);
	add(0, PLACE, 0);
	tick(0, 300);
	tick(2, 300);
	add(2, PLACE, SIZE);
	tick(2, 400);
	lifetimes_end(&lifetimes);
	expect(PLACE, 200, CERTAIN, 0);
	expect(PLACE, 250, PERHAPS, TF_NONE);
	expect(PLACE, 350, PERHAPS, TF_NONE);
	expect(PLACE, 400, CERTAIN, 1);
}
END_TEST

/* A program that the process executes has none of the objects; behind a gap all are uncertain. */
START_TEST(programs_and_gaps)
{
	tick(0, 100);
	lifetimes_gap(&lifetimes, 0);
	add(0, PLACE, SIZE);
	tick(0, 200);
	lifetimes_exec(&lifetimes, PROCESS + 1, 0);
	lifetimes_event(&lifetimes,
			&(struct tf_event){ .kind = TF_EVENT_EXEC, .exec = { .time_ns = 210 } });
	lifetimes_exec(&lifetimes, PROCESS, 0);
	add(0, PLACE + SIZE, SIZE);
	tick(0, 300);
	lifetimes_gap(&lifetimes, 0);
	lifetimes_end(&lifetimes);
	expect(PLACE, 200, CERTAIN, 0);
	expect(PLACE, 210, CERTAIN, 0);
	expect(PLACE, 211, PERHAPS, TF_NONE);
	expect(PLACE + SIZE, 300, CERTAIN, 1);
	expect(PLACE + SIZE, 301, PERHAPS, TF_NONE);
}
END_TEST

/* A small object behind a large one does not hide it. */
START_TEST(large_and_small)
{
	add(0, PLACE, 0x10000);
	tick(0, 100);
	add(0, PLACE + 0x20000, SIZE);
	add(0, PLACE + 0x20000, 0);
	add(1, PLACE + 0x8000, SIZE);
	tick(1, 200);
	tick(0, 200);
	lifetimes_end(&lifetimes);
	expect(PLACE + 0x9000, 300, CERTAIN, 0);
	expect(PLACE + 0x8000, 300, CERTAIN, 2);
	expect(PLACE + 0x20000, 300, NO_OBJECT, TF_NONE);
}
END_TEST

/* Without a later time, a call may have happened at any time. */
START_TEST(open_end)
{
	tick(0, 100);
	add(0, PLACE, SIZE);
	lifetimes_end(&lifetimes);
	expect(PLACE, 1u << 30, PERHAPS, TF_NONE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lifetimes");
	TCase *tests = tcase_create("lifetimes");

	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_test(tests, one_thread);
	tcase_add_test(tests, freed_by_another);
	tcase_add_test(tests, disputed);
	tcase_add_test(tests, reused_by_another);
	tcase_add_test(tests, programs_and_gaps);
	tcase_add_test(tests, large_and_small);
	tcase_add_test(tests, open_end);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
