/* SPDX-License-Identifier: MIT */
/* Counting by path exits gives what counting by basic blocks does, on random traces. */
#include "analyzers/bbv/bbv.h"
#include "analyzers/common/leaders.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

/* A way to count, and the vectors that it wrote. */
struct way {
	enum tf_view view;
	struct bbv *bbv;
	struct bbv_thread *threads[8];
	FILE *out[8];
	char *text[8];
	size_t size[8];
};

static void begin_way(struct way *way, enum tf_view view, const struct bbv_setup *setup,
		      unsigned n_threads, uint64_t interval)
{
	*way = (struct way){ .view = view, .bbv = bbv_new(setup) };
	for (unsigned i = 0; i < n_threads; i++) {
		way->out[i] = open_memstream(&way->text[i], &way->size[i]);
		way->threads[i] = bbv_thread_new(way->bbv, interval);
		bbv_thread_output(way->threads[i], way->out[i]);
	}
}

static void take_event(struct bbv_thread *thread, const struct tf_event *event)
{
	if (event->kind == TF_EVENT_CONTROL_WORD)
		bbv_control_word(thread, event->ordinal, event->control_word.which,
				 event->control_word.value);
	else if (event->kind == TF_EVENT_REGION_BEGIN)
		bbv_cut(thread, event->ordinal);
}

static void run_way(struct way *way, struct tf_reader *reader, unsigned n_threads)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_error error;
	struct tf_item item;

	options.view = way->view;
	options.columns = TF_EVENTS | (way->view == TF_VIEW_PATHS ? TF_REPETITIONS : TF_ADDRESSES);
	ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, &error), 0);
	while (tf_next(cursor, &item, &error) > 0) {
		struct bbv_thread *thread = way->threads[item.thread];
		uint64_t ordinal = item.ordinal;

		if (item.kind == TF_ITEM_EVENT)
			take_event(thread, item.event);
		else if (item.kind == TF_ITEM_PATHS)
			bbv_paths(thread, reader, &item);
		else
			for (size_t i = 0; i < item.count; ordinal += item.blocks[i++].executed)
				bbv_execute(thread, &item.blocks[i], ordinal);
	}
	tf_cursor_close(cursor);
	for (unsigned i = 0; i < n_threads; i++) {
		bbv_end(way->threads[i], true);
		bbv_summary(way->threads[i], i + 1, "", way->out[i]);
		fclose(way->out[i]);
	}
}

static void end_way(struct way *way, unsigned n_threads)
{
	for (unsigned i = 0; i < n_threads; i++) {
		free(way->text[i]);
		bbv_thread_free(way->threads[i]);
	}
	bbv_free(way->bbv);
}

/* The texts are too long for a message. */
static void check_same_text(const char *a, const char *b)
{
	size_t at = 0, line;

	while (a[at] && a[at] == b[at])
		at++;
	for (line = at; line && a[line - 1] != '\n';)
		line--;
	ck_assert_msg(a[at] == b[at], "they differ at %zu: '%.100s' and '%.100s'", at - line,
		      a + at, b + at);
}

static void compare_ways(struct tf_reader *reader, enum bbv_rules rules, unsigned n_threads,
			 uint64_t interval)
{
	struct leaders *leaders = leaders_of(reader, NULL);
	struct bbv_setup setup = {
		.n_code = tf_n_blocks(reader),
		.n_exits = tf_n_exits(reader),
		.rules = rules,
		.leaders = leaders,
	};
	struct way paths, blocks;

	begin_way(&paths, TF_VIEW_PATHS, &setup, n_threads, interval);
	begin_way(&blocks, TF_VIEW_BLOCKS, &setup, n_threads, interval);
	run_way(&paths, reader, n_threads);
	run_way(&blocks, reader, n_threads);
	for (unsigned i = 0; i < n_threads; i++)
		check_same_text(paths.text[i], blocks.text[i]);
	ck_assert_uint_eq(bbv_count(paths.bbv), bbv_count(blocks.bbv));
	for (uint32_t id = 1; id <= bbv_count(paths.bbv); id++)
		ck_assert_uint_eq(bbv_start(paths.bbv, id)->pc, bbv_start(blocks.bbv, id)->pc);
	end_way(&paths, n_threads);
	end_way(&blocks, n_threads);
	leaders_free(leaders);
}

START_TEST(random_traces)
{
	static const uint64_t intervals[] = { 1, 7, 500, 100000, BBV_NO_INTERVAL };
	struct random_options options = {
		.seed = 9000 + (uint64_t)_i,
		.n_processes = 1,
		.n_threads = 1 + (unsigned)_i % 3,
		.n_blocks = 80,
		.n_paths = 60,
		.n_execs = is_quick() ? 3000 : 6000,
		.max_insns = 1 + (unsigned)_i % 12,
		.events = _i % 2 ? 15 : 1,
		.chunk_instructions = _i % 4 ? 5000 : 0,
	};
	struct open_trace t = open_random_trace(&options);
	struct tf_reader *reader = t.reader;

	ck_assert_int_eq(tf_load(reader, NULL), 0);
	for (unsigned i = 0; i < sizeof(intervals) / sizeof(*intervals); i++) {
		compare_ways(reader, BBV_DYNAMIC, options.n_threads, intervals[i]);
		compare_ways(reader, BBV_CFG, options.n_threads, intervals[i]);
	}
	/* Repetitions are random, and by exp-bbv's rules some of them are instructions. */
	compare_ways(reader, BBV_EXP_BBV, options.n_threads, BBV_NO_INTERVAL);
	close_random_trace(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bbv paths");
	TCase *tests = tcase_create("paths");

	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, random_traces, 0, 12);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
