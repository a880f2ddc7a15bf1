/* SPDX-License-Identifier: MIT */
/* The repetitions, extents and values that cursors return for paths are those of their blocks. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

/* Few paths, with and without recipes, in chunks of several sizes. */
static struct random_options executed_often(uint64_t seed, unsigned i)
{
	return (struct random_options){
		.seed = seed + i,
		.n_processes = 1,
		.n_threads = 1 + i % 3,
		.n_blocks = 60,
		.n_paths = 40,
		.n_execs = 3000,
		.max_insns = 8,
		.events = i % 2 ? 20 : 1,
		.chunk_instructions = i % 4 ? 5000 : 0,
		.identity = i % 3 == 0,
	};
}

/* ---- repetitions ------------------------------------------------------------------------- */

struct extras {
	uint64_t *at;
	size_t count, room;
	uint64_t first, instructions; /* what was handed out */
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

/* Returns the rep instructions of a part of a block, and with values adds their extras. */
static size_t reps_of_block(const struct tf_block *block, uint32_t executed, const uint64_t *values,
			    struct extras *list)
{
	size_t n = 0;

	for (unsigned i = 0; i < block->n_insns && i < executed; i++) {
		if (!(block->insns[i].flags & TF_INSN_REP) || !block->insns[i].n_operands)
			continue;
		n++;
		if (values)
			add_extras(list,
				   values + block->operands[block->insns[i].first_operand].extra);
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
				for (size_t n = reps_of_path(reader, &item.paths[i]); n;
				     n--, extras += 3)
					add_extras(&list, extras);
	}
	tf_cursor_close(cursor);
	return list;
}

/* Compares the repetitions of paths from `first` on with the values of the same blocks. */
static size_t check_extras(struct tf_reader *reader, uint32_t thread, uint64_t first,
			   unsigned events)
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
	struct random_options options = executed_often(5000, (unsigned)_i);
	struct open_trace t = open_random_trace(&options);
	struct tf_reader *reader = t.reader;

	ck_assert_uint_gt(check_extras(reader, TF_MERGED, 0, 0), 0);
	check_extras(reader, TF_MERGED, 0, TF_EVENTS);
	for (uint32_t thread = 0; thread < options.n_threads; thread++)
		for (uint64_t first = 0; first < 8000; first = 3 * first + 1)
			check_extras(reader, thread, first, first % 2 ? TF_EVENTS : 0);
	close_random_trace(&t);
}
END_TEST

/* Chunks with slots that have sources, those of reps too; and without. */
START_TEST(repetitions_of_recorded)
{
	static const char *const traces[] = { "tests/golden/v1.1/sources.trace",
					      "tests/golden/v1.1/strings.trace",
					      "tests/golden/v1.1/threads.trace",
					      "tests/golden/v1.0/strings.trace" };
	struct tf_reader *reader;
	struct tf_error error;

	ck_assert_int_eq(tf_open(traces[_i], &reader, &error), 0);
	ck_assert_uint_gt(check_extras(reader, TF_MERGED, 0, 0), 0);
	check_extras(reader, 0, 1000, TF_EVENTS);
	tf_close(reader);
}
END_TEST

/* ---- extents ----------------------------------------------------------------------------- */

/* Adds the extents of a part of a block; without values, zeros. */
static void extents_of_block(const struct tf_block *block, uint32_t executed,
			     const uint64_t *values, struct extras *list)
{
	for (unsigned i = 0; i < block->n_operands && block->operands[i].insn < executed; i++) {
		const struct tf_operand *operand = &block->operands[i];
		uint64_t extent[3] = { 0 };

		if (operand->form == TF_PLAIN)
			continue;
		if (values)
			extent[0] = operand->form == TF_SIZED ? values[operand->extra]
							      : tf_access_count(operand, values);
		add_extras(list, extent);
	}
}

static size_t extents_of_path(struct tf_reader *reader, const struct tf_path_exec *exec)
{
	struct extras list = { 0 };
	struct tf_exit_info info;

	tf_exit(reader, exec->exit, &info);
	for (uint32_t i = 0, done = 0; done < exec->executed; i++) {
		const struct tf_block *block = tf_block(reader, info.path->blocks[i]);

		extents_of_block(block, exec->executed - done, NULL, &list);
		done += block->n_insns;
	}
	free(list.at);
	return list.count / 3;
}

static struct extras collect_extents(struct tf_reader *reader,
				     const struct tf_cursor_options *options)
{
	struct extras list = { 0 };
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;

	ck_assert_int_eq(tf_cursor_open(reader, options, &cursor, &error), 0);
	while (tf_next(cursor, &item, &error) > 0) {
		const uint64_t *extents = item.values;

		for (size_t i = 0; i < item.count; i++)
			if (item.kind == TF_ITEM_BLOCKS)
				extents_of_block(item.blocks[i].block, item.blocks[i].executed,
						 item.blocks[i].values, &list);
			else if (item.kind == TF_ITEM_PATHS)
				for (size_t n = extents_of_path(reader, &item.paths[i]); n; n--)
					add_extras(&list, (uint64_t[]){ *extents++, 0, 0 });
		if (item.kind == TF_ITEM_PATHS)
			ck_assert_uint_le(extents - item.values, item.n_values);
	}
	tf_cursor_close(cursor);
	return list;
}

static void check_extents(struct tf_reader *reader, unsigned events)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.columns = TF_ADDRESSES | events;
	struct extras blocks = collect_extents(reader, &options);

	options.view = TF_VIEW_PATHS;
	options.columns = TF_EXTENTS | events;
	struct extras paths = collect_extents(reader, &options);

	ck_assert_uint_gt(blocks.count, 0);
	ck_assert_uint_eq(paths.count, blocks.count);
	ck_assert_mem_eq(paths.at, blocks.at, blocks.count * sizeof(*blocks.at));
	free(paths.at);
	free(blocks.at);
}

START_TEST(extents)
{
	struct random_options options = executed_often(9000, (unsigned)_i);
	struct open_trace t = open_random_trace(&options);

	check_extents(t.reader, 0);
	check_extents(t.reader, TF_EVENTS);
	close_random_trace(&t);
}
END_TEST

START_TEST(extents_of_recorded)
{
	static const char *const traces[] = { "tests/golden/v1.1/strings.trace",
					      "tests/golden/v1.1/sources.trace",
					      "tests/golden/v1.0/strings.trace" };
	struct tf_reader *reader;
	struct tf_error error;

	ck_assert_int_eq(tf_open(traces[_i], &reader, &error), 0);
	check_extents(reader, 0);
	tf_close(reader);
}
END_TEST

/* ---- addresses of paths ------------------------------------------------------------------ */

/* Returns a hash of all operands of the executed instructions, and of their values. */
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
	struct random_options options = executed_often(7000, (unsigned)_i);
	struct open_trace t = open_random_trace(&options);
	struct tf_reader *reader = t.reader;

	for (uint32_t n = 0; n <= options.n_threads; n++) {
		check_values(reader, n < options.n_threads ? n : TF_MERGED, 0);
		check_values(reader, n < options.n_threads ? n : TF_MERGED, TF_EVENTS);
	}
	close_random_trace(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat paths");
	TCase *tests = tcase_create("paths");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, repetitions_of_recorded, 0, 4);
	tcase_add_loop_test(tests, repetitions, 0, 12);
	tcase_add_loop_test(tests, extents, 0, 12);
	tcase_add_loop_test(tests, extents_of_recorded, 0, 3);
	tcase_add_loop_test(tests, values_of_paths, 0, 12);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
