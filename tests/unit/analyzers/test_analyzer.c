/* SPDX-License-Identifier: MIT */
/* The main function that analyzers share: probe analyzers print the items that they receive. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "tests/unit/analyzers/analyzer_run.h"
#include "tests/unit/analyzers/probe.h"
#include "tests/unit/run_suite.h"

START_TEST(everything_in_the_recorded_order)
{
	make_trace(&(struct tf_writer_options){ sizeof(struct tf_writer_options),
						.order_exact = true });
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
	assert_has(output, "\"switches\": 59,");
	assert_has(output, "\"first_address\": 65536,");
	assert_has(output, "\"last_address\": 67928,");
	assert_has(output, "\"order_of_threads\": \"exact\"");
	assert_has(output, "\"complete\": true");
	ck_assert_str_eq(messages, "");
	char blocks[TEXT_SIZE];

	strcpy(blocks, strstr(output, "\"hash\""));
	*strchr(blocks, ',') = 0;
	ck_assert_int_eq(analyze(&probe_stepping, "--format=json", NULL), 0);
	assert_has(output, blocks);
}
END_TEST

START_TEST(approximate_order_is_said)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", NULL), 0);
	assert_has(output, "\"order_of_threads\": \"approximate\"");
	ck_assert_int_eq(analyze(&probe_ordered, "--format=json", "--thread=0", NULL), 0);
	assert_has_not(output, "order_of_threads");
	ck_assert_int_eq(analyze(&probe_unordered, "--format=json", NULL), 0);
	assert_has_not(output, "order_of_threads");
}
END_TEST

START_TEST(unordered_goes_thread_by_thread)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&probe_unordered, "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 1600,");
	assert_has(output, "\"switches\": 1,");
}
END_TEST

START_TEST(one_thread)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&probe_ordered, "--thread=1", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 400,");
	ck_assert_int_eq(analyze(&probe_ordered, "--thread=2", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 0,");
	ck_assert_int_eq(analyze(&probe_ordered, "--thread=3", NULL), EXIT_UNSUITABLE);
	assert_has(messages, "no thread 3");
}
END_TEST

START_TEST(a_range)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&probe_stepping, "--thread=0", "--from=10", "--count=3",
				 "--format=json", NULL),
			 0);
	assert_has(output, "\"instructions\": 3,");
	/* 10 .. 12 are in the blocks of 8 .. 11 and 12 .. 15 */
	ck_assert_int_eq(analyze(&probe_ordered, "--thread=0", "--from=10", "--count=3",
				 "--format=json", NULL),
			 0);
	assert_has(output, "\"instructions\": 8,");
	assert_has(output, "\"first_address\": 65552,");
	/* steps 30 .. 49 are the last 10 of thread 0's first turns, then thread 1's */
	ck_assert_int_eq(analyze(&probe_stepping, "--from=30", "--count=20", "--format=json", NULL),
			 0);
	assert_has(output, "\"instructions\": 20,");
	assert_has(output, "\"switches\": 1,");
	ck_assert_int_eq(analyze(&probe_unordered, "--from=32", "--count=18", "--format=json",
				 NULL),
			 0);
	assert_has(output, "\"instructions\": 18,");
	ck_assert_int_eq(analyze(&probe_stepping, "--from=1M", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 0,");
}
END_TEST

/* The result is the same however the streams are cut. Its hash depends on the instructions'
 * order. */
START_TEST(jobs_do_not_change_the_result)
{
	static const char *const selections[][2] = {
		{ "--quiet", "--quiet" },        { "--thread=0", "--quiet" },
		{ "--thread=1", "--quiet" },     { "--thread=0", "--from=402" },
		{ "--thread=0", "--count=777" },
	};
	char jobs[16], serial[TEXT_SIZE];

	make_trace(NULL);
	for (size_t i = 0; i < sizeof(selections) / sizeof(selections[0]); i++) {
		const char *const *s = selections[i];

		ck_assert_int_eq(analyze(&probe_unordered, s[0], s[1], "--format=csv", NULL), 0);
		/* not merged: they do not concern what follows */
		*strstr(output, "first_address") = 0;
		strcpy(serial, output);
		for (int n = 2; n < 15; n++) {
			sprintf(jobs, "-j%d", n);
			ck_assert_int_eq(analyze(&probe_unordered, s[0], s[1], jobs, "--format=csv",
						 NULL),
					 0);
			*strstr(output, "first_address") = 0;
			ck_assert_str_eq(output, serial);
		}
	}
}
END_TEST

START_TEST(intervals)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&probe_stepping, "--thread=0", "--interval=500", "--format=csv",
				 NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n"
				 "0,0,500,500\n0,500,500,500\n0,1000,200,200\n");
	/* blocks of 4: an interval ends with the block that reaches a multiple of its length */
	ck_assert_int_eq(analyze(&probe_ordered, "--thread=0", "--interval=250", "--format=csv",
				 NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n0,0,252,252\n0,252,248,248\n"
				 "0,500,252,252\n0,752,248,248\n0,1000,200,200\n");
	ck_assert_int_eq(analyze(&probe_ordered, "--thread=1", "--interval=1", "--count=6",
				 "--format=csv", NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n1,0,2,2\n1,2,2,2\n1,4,2,2\n");
	/* merged: 40 of thread 0, 10 of thread 1, ... */
	ck_assert_int_eq(analyze(&probe_unordered, "--interval=800", "-j2", "--format=csv", NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n"
				 "all,0,800,800\nall,800,800,800\n");
	ck_assert_int_eq(analyze(&probe_unordered, "--interval=800", "--format=json", NULL), 0);
	assert_has(output, "\"order_of_threads\": \"approximate\"");
}
END_TEST

START_TEST(each_thread)
{
	static const char *const jobs[] = { "-j1", "-j5" };

	make_trace(NULL);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(analyze(&probe_unordered, "--threads=each", jobs[i],
					 "--format=csv", NULL),
				 0);
		ck_assert_str_eq(output, "thread,first,instructions,sum\n"
					 "0,0,1200,1200\n1,0,400,400\n");
	}
	ck_assert_int_eq(analyze(&probe_stepping, "--threads=each", "--interval=1000",
				 "--format=csv", NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n"
				 "0,0,1000,1000\n0,1000,200,200\n1,0,400,400\n");
}
END_TEST

/* Thread 0 is in the region for turns 3 and 4, and 8; thread 1 for turn 0, and on to its end. */
START_TEST(a_region)
{
	begin_trace(NULL);
	uint32_t other = synthetic_region(&trace, "other");
	uint32_t wanted = synthetic_region(&trace, "wanted");
	struct tf_event begin = { .kind = TF_EVENT_REGION_BEGIN, .region.index = wanted };
	struct tf_event end = { .kind = TF_EVENT_REGION_END, .region.index = wanted };
	struct tf_event distraction = { .kind = TF_EVENT_REGION_END, .region.index = other };

	for (uint64_t i = 0; i < 10; i++) {
		if (i == 3 || i == 8)
			synthetic_event(&trace, 0, &begin);
		if (i == 4)
			synthetic_event(&trace, 0, &distraction);
		if (i == 5 || i == 9)
			synthetic_event(&trace, 0, &end);
		turn(0, i);
		synthetic_flush(&trace, 0);
	}
	synthetic_event(&trace, 1, &begin);
	turn(1, 0);
	turn(1, 1);
	synthetic_end(&trace);
	ck_assert_int_eq(analyze(&probe_ordered, "--region=wanted", "--format=json", NULL), 0);
	assert_has(output, "\"instructions\": 16,");
	assert_has(output, "\"first_address\": 65560,");
	assert_has(output, "\"last_address\": 65600,");
	assert_has(output, "\"region\": \"wanted\"");
	ck_assert_int_eq(analyze(&probe_unordered, "--region=wanted", "--threads=each", "-j3",
				 "--format=csv", NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\n0,12,12,12\n1,0,4,4\n");
	/* positions in the merged order count instructions outside of regions, too */
	ck_assert_int_eq(analyze(&probe_ordered, "--region=wanted", "--interval=8", "--format=csv",
				 NULL),
			 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\nall,12,8,8\nall,32,8,8\n");
	/* the region's own events and those inside */
	ck_assert_int_eq(analyze(&probe_stepping, "--region=wanted", "--format=json", NULL), 0);
	assert_has(output, "\"events\": 6,");
	assert_has(output, "\"instructions\": 16,");
	ck_assert_int_eq(analyze(&probe_ordered, "--region=nothing", NULL), EXIT_UNSUITABLE);
	assert_has(messages, "no region 'nothing'; its first is 'other'");
}
END_TEST

/* ---- states ------------------------------------------------------------------------------ */

struct counted {
	uint64_t instructions;
	char *memory;
};

static unsigned started, stopped;

static int counted_start(void *self, const struct analysis *run)
{
	struct counted *c = self;

	ck_assert_uint_eq(c->instructions, 0);
	ck_assert_ptr_null(c->memory);
	c->memory = malloc(1);
	started++;
	(void)run;
	return 0;
}

static void counted_stop(void *self)
{
	free(((struct counted *)self)->memory);
	stopped++;
}

static int counted_paths(void *self, const struct tf_item *item)
{
	ck_assert_int_eq(item->kind, TF_ITEM_PATHS);
	((struct counted *)self)->instructions += item->instructions;
	return 0;
}

static int counted_blocks(void *self, const struct tf_item *item)
{
	ck_assert_int_eq(item->kind, TF_ITEM_BLOCKS);
	((struct counted *)self)->instructions += item->instructions;
	return 0;
}

static int counted_report(void *self, const struct analysis *run, struct report *report)
{
	(void)run;
	report_u64(report, "instructions", "", ((struct counted *)self)->instructions);
	return 0;
}

static int counted_row(void *self, const struct analysis *run, const struct analyzer_span *span,
		       struct report *report)
{
	(void)run;
	report_row(report, ANALYZER_SPAN(span), ((struct counted *)self)->instructions);
	return 0;
}

/* clang-format off */
static struct analyzer counted = {
	.name = "trace-counted", .summary = "count", .state_size = sizeof(struct counted),
	.start = counted_start, .stop = counted_stop, .paths = counted_paths,
	.report = counted_report, .row = counted_row, .row_columns = probe_columns,
};
/* clang-format on */

START_TEST(states_begin_empty_and_end)
{
	make_trace(NULL);
	ck_assert_int_eq(analyze(&counted, "--interval=400", "--format=csv", NULL), 0);
	ck_assert_str_eq(output, "thread,first,instructions,sum\nall,0,400,400\nall,400,400,400\n"
				 "all,800,400,400\nall,1200,400,400\n");
	ck_assert_uint_ge(started, 4);
	ck_assert_uint_eq(started, stopped);
}
END_TEST

START_TEST(blocks_instead_of_paths_where_it_must_be_fine)
{
	struct analyzer both = counted;

	make_trace(NULL);
	both.blocks = counted_blocks;
	ck_assert_int_eq(analyze(&both, "--format=csv", NULL), 0);
	both.paths = NULL; /* using them would crash */
	ck_assert_int_eq(analyze(&both, "--format=csv", NULL), 0);
	both.paths = counted_blocks; /* they would not be blocks */
	ck_assert_int_eq(analyze(&both, "--interval=100", NULL), 0);
	ck_assert_int_eq(analyze(&both, "--from=100", NULL), 0);
	both.columns = TF_ADDRESSES;
	ck_assert_int_eq(analyze(&both, NULL), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analyzer");
	TCase *tests = tcase_create("runs");

	tcase_add_checked_fixture(tests, analyzer_run_begin, analyzer_run_end);
	tcase_add_test(tests, everything_in_the_recorded_order);
	tcase_add_test(tests, approximate_order_is_said);
	tcase_add_test(tests, unordered_goes_thread_by_thread);
	tcase_add_test(tests, one_thread);
	tcase_add_test(tests, a_range);
	tcase_add_test(tests, jobs_do_not_change_the_result);
	tcase_add_test(tests, intervals);
	tcase_add_test(tests, each_thread);
	tcase_add_test(tests, a_region);
	tcase_add_test(tests, states_begin_empty_and_end);
	tcase_add_test(tests, blocks_instead_of_paths_where_it_must_be_fine);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
