/* SPDX-License-Identifier: MIT */
/* What cursors hand out: every view of random traces, per thread and merged, from every place. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

static const enum tf_view views[] = { TF_VIEW_PATHS, TF_VIEW_BLOCKS, TF_VIEW_INSNS };

/* Compares what the cursor gives with the list. */
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

/* Calls check for each thread and the merged order, in each view, with all sets of columns. */
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
	struct random_trace *t = random_trace_new(options);
	int fd = file_of_trace(t, true);
	struct tf_reader *reader = open_file(fd);

	each_list(reader, t, check);
	tf_close(reader);
	close(fd);
	random_trace_free(t);
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
		.seed = 77 + (uint64_t)_i, .n_processes = 1, .n_threads = 2, .n_blocks = 600,
		.n_paths = 500, .n_execs = 40000, .max_insns = 8, .events = 1,
		.chunk_instructions = _i ? 0 : 100000, .identity = _i == 2,
	};

	check_trace(&options, check_whole);
}
END_TEST

/* Places to begin at and numbers of instructions, over the whole trace and a bit beyond. */
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

/* ---- repetitions ------------------------------------------------------------------------- */

struct extras {
	uint64_t *at;
	size_t count, room;
	uint64_t first, instructions;	/* what was handed out */
};

static void add_extras(struct extras *list, const uint64_t *extras)
{
	if (list->count + 3 > list->room) {
		list->room = 2 * list->room + 300;
		list->at = realloc(list->at, list->room * sizeof(*list->at));
	}
	memcpy(list->at + list->count, extras, 3 * sizeof(*extras));
	list->count += 3;
}

/* How many rep instructions are among the first `executed` of a block; their extras, with values. */
static size_t reps_of_block(const struct tf_block *block, uint32_t executed, const uint64_t *values,
			    struct extras *list)
{
	size_t n = 0;

	for (unsigned i = 0; i < block->n_insns && i < executed; i++) {
		if (!(block->insns[i].flags & TF_INSN_REP) || !block->insns[i].n_operands)
			continue;
		n++;
		if (values)
			add_extras(list, values + block->operands[block->insns[i].first_operand].extra);
	}
	return n;
}

static size_t reps_of_path(struct tf_reader *reader, const struct tf_path_exec *exec)
{
	struct tf_exit_info info;
	size_t n = 0;

	tf_exit(reader, exec->exit, &info);
	for (uint32_t i = 0, done = 0; done < exec->executed; i++) {
		const struct tf_block *block = tf_block(reader, info.path->blocks[i]);

		n += reps_of_block(block, exec->executed - done, NULL, NULL);
		done += block->n_insns;
	}
	return n;
}

static struct extras collect(struct tf_reader *reader, const struct tf_cursor_options *options)
{
	struct extras list = { .first = UINT64_MAX };
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;

	ck_assert_int_eq(tf_cursor_open(reader, options, &cursor, &error), 0);
	while (tf_next(cursor, &item, &error) > 0) {
		const uint64_t *extras = item.repetitions;

		if (item.kind == TF_ITEM_EVENT)
			continue;
		ck_assert_int_eq(extras != NULL, options->view == TF_VIEW_PATHS);
		list.first = list.first == UINT64_MAX ? item.ordinal : list.first;
		list.instructions += item.instructions;
		for (size_t i = 0; i < item.count; i++)
			if (item.kind == TF_ITEM_BLOCKS)
				reps_of_block(item.blocks[i].block, item.blocks[i].executed,
					      item.blocks[i].values, &list);
			else
				for (size_t n = reps_of_path(reader, &item.paths[i]); n; n--, extras += 3)
					add_extras(&list, extras);
	}
	tf_cursor_close(cursor);
	return list;
}

/* What paths tell from `first` on is what the values of the same blocks tell. */
static size_t check_extras(struct tf_reader *reader, uint32_t thread, uint64_t first, unsigned events)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.thread = thread;
	options.first = first;
	options.view = TF_VIEW_PATHS;
	options.columns = TF_REPETITIONS | events;
	struct extras paths = collect(reader, &options);

	if (thread != TF_MERGED && paths.instructions) {
		options.first = paths.first;
		options.count = paths.instructions;
	}
	options.view = TF_VIEW_BLOCKS;
	options.columns = TF_ADDRESSES | events;
	struct extras blocks = collect(reader, &options);
	size_t count = paths.count;

	ck_assert_uint_eq(paths.instructions, blocks.instructions);
	ck_assert_uint_eq(paths.count, blocks.count);
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(paths.at[i], blocks.at[i]);
	free(paths.at);
	free(blocks.at);
	return count;
}

START_TEST(repetitions)
{
	struct random_options options = {
		.seed = 5000 + (uint64_t)_i, .n_processes = 1, .n_threads = 1 + (unsigned)_i % 3,
		.n_blocks = 60, .n_paths = 40, .n_execs = 3000, .max_insns = 8,
		.events = _i % 2 ? 20 : 1, .chunk_instructions = _i % 4 ? 5000 : 0,
		.identity = _i % 3 == 0,
	};
	struct random_trace *t = random_trace_new(&options);
	int fd = file_of_trace(t, true);
	struct tf_reader *reader = open_file(fd);

	ck_assert_uint_gt(check_extras(reader, TF_MERGED, 0, 0), 0);
	check_extras(reader, TF_MERGED, 0, TF_EVENTS);
	for (uint32_t thread = 0; thread < options.n_threads; thread++)
		for (uint64_t first = 0; first < 8000; first = 3 * first + 1)
			check_extras(reader, thread, first, first % 2 ? TF_EVENTS : 0);
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

/* Chunks with slots that have sources, those of reps too; and without. */
START_TEST(repetitions_of_recorded)
{
	static const char *const traces[] = {
		"tests/golden/v1.1/sources.trace", "tests/golden/v1.1/strings.trace",
		"tests/golden/v1.1/threads.trace", "tests/golden/v1.0/strings.trace",
	};
	struct tf_reader *reader;
	struct tf_error error;

	ck_assert_int_eq(tf_open(traces[_i], &reader, &error), 0);
	ck_assert_uint_gt(check_extras(reader, TF_MERGED, 0, 0), 0);
	check_extras(reader, 0, 1000, TF_EVENTS);
	tf_close(reader);
}
END_TEST

/* ---- addresses of paths ------------------------------------------------------------------ */

/* A number that tells of all operands of the instructions that execute, and of their values. */
struct sum {
	uint64_t instructions, operands, values;
};

static void sum_block(struct sum *sum, const struct tf_block *block, uint32_t executed,
		      const uint64_t *values)
{
	for (unsigned i = 0; i < block->n_operands && block->operands[i].insn < executed; i++)
		sum->values = (sum->values ^ values[i]) * 0x9e3779b97f4a7c15 + ++sum->operands;
}

/* Returns the values behind the path's. */
static const uint64_t *sum_path(struct sum *sum, struct tf_reader *reader,
				const struct tf_path_exec *exec, const uint64_t *values)
{
	const uint64_t *at = values;
	uint32_t left = exec->executed;
	struct tf_exit_info info;

	ck_assert(tf_exit(reader, exec->exit, &info));
	for (unsigned i = 0; left; i++) {
		const struct tf_block *block = tf_block(reader, info.path->blocks[i]);
		uint32_t executed = left < block->n_insns ? left : block->n_insns;

		sum_block(sum, block, executed, at);
		at += block->n_values;
		left -= executed;
	}
	return values + info.n_values;
}

static struct sum sum_of(struct tf_reader *reader, const struct tf_cursor_options *options)
{
	struct sum sum = { 0 };
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;

	ck_assert_int_eq(tf_cursor_open(reader, options, &cursor, &error), 0);
	while (tf_next(cursor, &item, &error) > 0) {
		const uint64_t *values = item.values;

		sum.instructions += item.instructions;
		for (size_t i = 0; i < item.count; i++)
			if (item.kind == TF_ITEM_BLOCKS)
				sum_block(&sum, item.blocks[i].block, item.blocks[i].executed,
					  item.blocks[i].values);
			else if (item.kind == TF_ITEM_PATHS)
				values = sum_path(&sum, reader, &item.paths[i], values);
		if (item.kind == TF_ITEM_PATHS)
			ck_assert_uint_le(values - item.values, item.n_values);
	}
	tf_cursor_close(cursor);
	return sum;
}

static void check_values(struct tf_reader *reader, uint32_t thread, unsigned events)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.thread = thread;
	options.columns = TF_ADDRESSES | events;
	struct sum blocks = sum_of(reader, &options);

	options.view = TF_VIEW_PATHS;
	struct sum paths = sum_of(reader, &options);

	ck_assert_uint_gt(blocks.operands, 0);
	ck_assert_uint_eq(paths.instructions, blocks.instructions);
	ck_assert_uint_eq(paths.operands, blocks.operands);
	ck_assert_uint_eq(paths.values, blocks.values);
}

/* Paths have the values of their blocks. */
START_TEST(values_of_paths)
{
	struct random_options options = {
		.seed = 7000 + (uint64_t)_i, .n_processes = 1, .n_threads = 1 + (unsigned)_i % 3,
		.n_blocks = 60, .n_paths = 40, .n_execs = 3000, .max_insns = 8,
		.events = _i % 2 ? 20 : 1, .chunk_instructions = _i % 4 ? 5000 : 0,
		.identity = _i % 3 == 0,
	};
	struct random_trace *t = random_trace_new(&options);
	int fd = file_of_trace(t, true);
	struct tf_reader *reader = open_file(fd);

	for (uint32_t n = 0; n <= options.n_threads; n++) {
		check_values(reader, n < options.n_threads ? n : TF_MERGED, 0);
		check_values(reader, n < options.n_threads ? n : TF_MERGED, TF_EVENTS);
	}
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

START_TEST(bad_options)
{
	struct random_options small = small_options(3);
	struct random_trace *t = random_trace_new(&small);
	int fd = file_of_trace(t, true);
	struct tf_reader *reader = open_file(fd);
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
	options = (struct tf_cursor_options)TF_CURSOR_OPTIONS;
	options.view = (enum tf_view)3;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	options = (struct tf_cursor_options)TF_CURSOR_OPTIONS;
	options.size++;
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), TF_E_ARGUMENT);
	tf_cursor_close(NULL);
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat cursor");
	TCase *tests = tcase_create("cursor");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, round_trip, 0, 60);
	tcase_add_loop_test(tests, round_trip_long, 0, 3);
	tcase_add_loop_test(tests, seek, 0, 6);
	tcase_add_loop_test(tests, repetitions_of_recorded, 0, 4);
	tcase_add_loop_test(tests, repetitions, 0, 12);
	tcase_add_loop_test(tests, values_of_paths, 0, 12);
	tcase_add_test(tests, bad_options);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
