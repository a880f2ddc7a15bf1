/* SPDX-License-Identifier: MIT */
/* Cursors return every view of random traces, per thread and merged, from every position. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

static const enum tf_view views[] = { TF_VIEW_PATHS, TF_VIEW_BLOCKS, TF_VIEW_INSNS };

/* Compares the cursor's items with the list. */
static void check_range(struct tf_reader *reader, const struct truth *truth,
			const struct tf_cursor_options *options)
{
	struct tf_cursor *cursor = NULL;
	struct tf_error error = { .text = "" };
	char why[1024] = "";
	size_t from, to;
	bool same;

	truth_range(truth, options->first, options->count, &from, &to);
	ck_assert_msg(tf_cursor_open(reader, options, &cursor, &error) == 0, "%s", error.text);
	same = truth_cursor(cursor, truth, from, to, options->columns, why, sizeof(why));
	tf_cursor_close(cursor);
	ck_assert_msg(same, "thread %d view %d columns %u first %llu count %llu: %s",
		      (int)options->thread, options->view, options->columns,
		      (unsigned long long)options->first, (unsigned long long)options->count, why);
}

static struct truth truth_of(const struct random_trace *t, uint32_t thread, enum tf_view view,
			     unsigned columns)
{
	return thread == TF_MERGED ? truth_merged(t, view, columns)
				   : truth_thread(t, thread, view, columns);
}

typedef void check_list(struct tf_reader *reader, const struct truth *truth,
			struct tf_cursor_options *options);

/* Calls `check` for each thread and the merged order, in each view, with all sets of columns. */
static void each_list(struct tf_reader *reader, const struct random_trace *t, check_list *check)
{
	for (unsigned n = 0; n <= t->options.n_threads; n++)
		for (unsigned v = 0; v < 3; v++)
			for (unsigned columns = 0; columns < 4; columns++) {
				struct tf_cursor_options options = TF_CURSOR_OPTIONS;
				struct truth truth;

				options.thread = n < t->options.n_threads ? n : TF_MERGED;
				options.view = views[v];
				options.columns = columns;
				truth = truth_of(t, options.thread, views[v], columns);
				check(reader, &truth, &options);
				free(truth.items.at);
			}
}

static void check_whole(struct tf_reader *reader, const struct truth *truth,
			struct tf_cursor_options *options)
{
	check_range(reader, truth, options);
}

static void check_trace(const struct random_options *options, check_list *check)
{
	struct open_trace t = open_random_trace(options);
	struct tf_reader *reader = t.reader;

	each_list(reader, t.trace, check);
	close_random_trace(&t);
}

START_TEST(round_trip)
{
	struct random_options options = small_options((uint64_t)_i);

	options.n_threads = 1 + (unsigned)_i % 4;
	options.identity = _i % 5 == 4;
	check_trace(&options, check_whole);
}
END_TEST

/* Long enough that batches, bit words and tables are filled many times over. */
START_TEST(round_trip_long)
{
	struct random_options options = {
		.seed = 77 + (uint64_t)_i,
		.n_processes = 1,
		.n_threads = 2,
		.n_blocks = 600,
		.n_paths = 500,
		.n_execs = is_quick() ? 16000 : 40000,
		.max_insns = 8,
		.events = 1,
		.chunk_instructions = _i ? 0 : 100000,
		.identity = _i == 2,
	};

	check_trace(&options, check_whole);
}
END_TEST

/* Starting positions and numbers of instructions, over the whole trace and a bit beyond. */
static void check_seeks(struct tf_reader *reader, const struct truth *truth,
			struct tf_cursor_options *options)
{
	static const uint64_t counts[] = { UINT64_MAX, 0, 1, 7, 50 };
	uint64_t total = 0;

	for (size_t i = 0; i < truth->items.count; i++)
		total += truth->items.at[i].executed;
	for (uint64_t first = 0; first <= total + 2; first++)
		for (unsigned k = 0; k < 5; k++) {
			options->first = first;
			options->count = counts[k];
			check_range(reader, truth, options);
		}
	options->first = UINT64_MAX;
	options->count = 1;
	check_range(reader, truth, options);
}

START_TEST(seek)
{
	struct random_options options = small_options(1000 + (uint64_t)_i);

	options.n_threads = 1 + (unsigned)_i % 3;
	options.n_execs = 30;
	options.max_insns = 4;
	options.events = 40;
	options.chunk_instructions = 60;
	check_trace(&options, check_seeks);
}
END_TEST

START_TEST(bad_options)
{
	struct random_options small = small_options(3);
	struct open_trace t = open_random_trace(&small);
	struct tf_reader *reader = t.reader;
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor = NULL;
	struct tf_error error;

	options.thread = small.n_threads;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, &error), TF_E_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(error.text, "thread 3"));
	options = (struct tf_cursor_options)TF_CURSOR_OPTIONS;
	options.view = TF_VIEW_PATHS;
	options.columns = TF_ADDRESSES | TF_REPETITIONS;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	options.view = TF_VIEW_BLOCKS;
	options.columns = TF_REPETITIONS;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	options.columns = TF_EXTENTS;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	options.view = TF_VIEW_PATHS;
	options.columns = TF_EXTENTS | TF_REPETITIONS;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	options = (struct tf_cursor_options)TF_CURSOR_OPTIONS;
	options.view = (enum tf_view)3;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	options = (struct tf_cursor_options)TF_CURSOR_OPTIONS;
	options.size++;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	tf_cursor_close(NULL);
	close_random_trace(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat cursor");
	TCase *tests = tcase_create("cursor");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, round_trip, 0, is_quick() ? 20 : 60);
	tcase_add_loop_test(tests, round_trip_long, 0, 3);
	tcase_add_loop_test(tests, seek, 0, is_quick() ? 2 : 6);
	tcase_add_test(tests, bad_options);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
