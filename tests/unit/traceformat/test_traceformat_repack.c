/* SPDX-License-Identifier: MIT */
/* Repacking: the same content in fewer bytes. */
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/modelled_trace.h"
#include "tests/unit/traces/trace_file.h"

/* Checks that the reported progress grows. */
static void check_step(void *opaque, uint64_t done)
{
	uint64_t *before = opaque;

	ck_assert_uint_gt(done, *before);
	*before = done;
}

/* Repacks into a new file; returns its descriptor. */
static int repack(struct tf_reader *reader)
{
	struct tf_error error = { .text = "" };
	uint64_t done = 0;
	struct tf_info info;
	int to = new_file();

	ck_assert_msg(tf_repack_watched(reader, file_path(to), check_step, &done, &error) == 0,
		      "%s", error.text);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(done > info.file_size / 2 && done <= info.file_size);
	return to;
}

static void check_threads(const struct random_trace *t, struct tf_reader *reader,
			  unsigned n_threads)
{
	for (uint32_t thread = 0; thread < n_threads; thread++) {
		struct tf_cursor_options options = TF_CURSOR_OPTIONS;
		struct truth truth;
		struct tf_error error = { .text = "" };
		struct tf_cursor *cursor;
		char why[1024] = "";

		options.thread = thread;
		options.columns = TF_ADDRESSES | TF_EVENTS;
		truth = truth_thread(t, thread, options.view, options.columns);
		ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, &error), 0);
		ck_assert_msg(truth_cursor(cursor, &truth, 0, truth.items.count, options.columns,
					   why, sizeof(why)),
			      "thread %u: %s", thread, why);
		tf_cursor_close(cursor);
		free(truth.items.at);
	}
}

START_TEST(random_traces)
{
	struct random_options options = small_options(700 + (uint64_t)_i);
	struct random_trace *t;
	struct tf_reader *before, *after;
	struct tf_info old, new;
	int fd, to;

	options.n_execs = _i % 2 ? 300 : 3000;
	t = random_trace_new(&options);
	fd = file_of_trace(t, true);
	before = open_file(fd);
	to = repack(before);
	after = open_file(to);
	ck_assert_int_eq(tf_verify(after, print_fault, NULL, NULL), 0);
	ck_assert_int_eq(tf_get_info(before, &old, NULL), 0);
	ck_assert_int_eq(tf_get_info(after, &new, NULL), 0);
	ck_assert(new.complete &&new.order_exact == old.order_exact);
	ck_assert_int_eq(memcmp(&old.totals, &new.totals, sizeof(old.totals)), 0);
	ck_assert_int_eq(old.wait_status, new.wait_status);
	ck_assert_str_eq(old.stop_reason, new.stop_reason);
	ck_assert_uint_eq(old.created_ns, new.created_ns);
	check_threads(t, after, options.n_threads);
	tf_close(after);
	tf_close(before);
	close(to);
	close(fd);
	random_trace_free(t);
}
END_TEST

static void note_column(void *opaque, unsigned id, unsigned coding, uint64_t stored, uint64_t raw)
{
	uint64_t *seen = opaque;

	(void)coding;
	(void)raw;
	if (stored)
		*seen |= UINT64_C(1) << (id % 64);
}

/* Returns the ids of all columns in the trace, a bit each. */
static uint64_t columns_of(struct tf_reader *reader)
{
	struct tf_section_info info;
	uint64_t seen = 0;

	for (uint32_t i = 0; tf_section(reader, i, &info); i++)
		ck_assert_int_eq(tf_section_columns(reader, i, note_column, &seen, NULL), 0);
	return seen;
}

/* Checks that two traces have the same block executions with the same values. */
static void check_same(struct tf_reader *one, struct tf_reader *two, uint64_t first)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *a, *b;
	struct tf_item x, y;
	int status;

	options.columns = TF_ADDRESSES | TF_EVENTS;
	options.first = first;
	ck_assert_int_eq(tf_cursor_open(one, &options, &a, NULL), 0);
	ck_assert_int_eq(tf_cursor_open(two, &options, &b, NULL), 0);
	while ((status = tf_next(a, &x, NULL)) > 0) {
		ck_assert_int_eq(tf_next(b, &y, NULL), 1);
		ck_assert_uint_eq(x.count, y.count);
		for (size_t i = 0; i < x.count; i++) {
			const struct tf_block *block = x.blocks[i].block;

			ck_assert_uint_eq(block->id, y.blocks[i].block->id);
			ck_assert_int_eq(memcmp(x.blocks[i].values, y.blocks[i].values,
						block->n_values * sizeof(uint64_t)),
					 0);
		}
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(tf_next(b, &y, NULL), 0);
	tf_cursor_close(a);
	tf_cursor_close(b);
}

START_TEST(modelled)
{
	enum { FLOW = 5, SLOT_MISSES = 17, SLOT_MODELS = 18, SLOTS = 19 };
	struct tf_error error = { .text = "" };
	struct tf_reader *before, *after, *again;
	int fd = new_file(), to, twice;
	uint64_t columns;

	ck_assert_msg(modelled_trace_write(fd, 20000, &error) == 0, "%s", error.text);
	before = open_file(fd);
	to = repack(before);
	after = open_file(to);
	columns = columns_of(after);
	ck_assert(columns >> FLOW & 1 && columns >> SLOT_MODELS & 1 && columns >> SLOTS & 1);
	ck_assert(!(columns >> SLOT_MISSES & 1));
	ck_assert_uint_lt(3 * file_size(to), 2 * file_size(fd));
	ck_assert_int_eq(tf_verify(after, print_fault, NULL, NULL), 0);
	check_same(before, after, 0);
	check_same(before, after, 12345);
	ck_assert_ptr_nonnull(tf_meta(after, "repacked-from"));

	/* a repacked trace can be repaired and repacked */
	twice = repack(after);
	ck_assert_int_eq(tf_repair(after, file_path(twice), &error), 0);
	again = open_file(twice);
	check_same(before, again, 0);
	tf_close(again);
	twice = repack(after);
	again = open_file(twice);
	check_same(before, again, 0);
	tf_close(again);
	tf_close(after);
	tf_close(before);
	close(twice);
	close(to);
	close(fd);
}
END_TEST

START_TEST(refused)
{
	struct random_options options = small_options(750);
	struct random_trace *t = random_trace_new(&options);
	int whole = file_of_trace(t, true), cut = file_of_trace(t, false), to = new_file();
	struct tf_reader *reader = open_file(cut);
	struct tf_error error = { .text = "" };

	ck_assert_int_eq(tf_repack(reader, file_path(to), &error), TF_E_DAMAGED);
	ck_assert_ptr_nonnull(strstr(error.text, "trace-repair"));
	ck_assert_uint_eq(file_size(to), 0);
	tf_close(reader);
	reader = open_file(whole);
	ck_assert_int_eq(tf_repack(reader, file_path(whole), &error), TF_E_ARGUMENT);
	ck_assert_int_eq(tf_repack(reader, "/nowhere/x", &error), TF_E_IO);
	ck_assert_int_eq(tf_repack(reader, "/dev/full", &error), TF_E_IO);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	tf_close(reader);
	close(whole);
	close(cut);
	close(to);
	random_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat repack");
	TCase *tests = tcase_create("repack");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, random_traces, 0, 12);
	tcase_add_test(tests, modelled);
	tcase_add_test(tests, refused);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
