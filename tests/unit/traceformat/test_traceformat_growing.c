/* SPDX-License-Identifier: MIT */
/* Files that are read while they grow, and files that several threads write. */
#include <fcntl.h>
#include <pthread.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

static void check_equal_to_truth(struct tf_reader *reader, const struct random_trace *t)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.view = TF_VIEW_INSNS;
	options.columns = TF_ADDRESSES | TF_EVENTS;
	for (uint32_t i = 0; i < t->options.n_threads; i++) {
		struct truth truth = truth_thread(t, i, options.view, options.columns);
		struct tf_cursor *cursor;
		char why[1024] = "";

		options.thread = i;
		ck_assert_int_eq(tf_cursor_open(reader, &options, &cursor, NULL), 0);
		ck_assert_msg(truth_cursor(cursor, &truth, 0, truth.items.count, options.columns,
					   why, sizeof(why)),
			      "thread %u: %s", i, why);
		tf_cursor_close(cursor);
		free(truth.items.at);
	}
}

/* Reads the items written so far, and checks that they continue the list where it stopped. */
static size_t take_new(struct tf_cursor *cursor, const struct truth *truth, size_t from)
{
	struct tf_error error = { .text = "" };
	struct tf_item item;
	int status;

	while ((status = tf_next(cursor, &item, &error)) > 0) {
		if (item.kind == TF_ITEM_EVENT) {
			ck_assert(from < truth->items.count && truth->items.at[from].event);
			ck_assert(truth_event_same(item.event, truth->items.at[from++].event));
			continue;
		}
		for (size_t i = 0; i < item.count; i++) {
			ck_assert_uint_lt(from, truth->items.count);
			ck_assert(truth_same(&truth->items.at[from++], &item, i,
					     TF_ADDRESSES | TF_EVENTS));
		}
	}
	ck_assert_msg(status == 0, "%s", error.text);
	return from;
}

START_TEST(growing)
{
	struct random_options options = small_options(20 + (uint64_t)_i);
	struct random_trace *t = random_trace_new(&options);
	struct tf_cursor_options follow = TF_CURSOR_OPTIONS;
	int fd = new_file(), out = dup(fd), reads = 0;
	struct tf_cursor *cursors[3] = { NULL };
	struct tf_reader *reader = NULL;
	size_t next[3] = { 0 };
	struct truth truths[3];
	struct random_player player;
	struct tf_info info;

	follow.view = _i % 2 ? TF_VIEW_BLOCKS : TF_VIEW_INSNS;
	follow.columns = TF_ADDRESSES | TF_EVENTS;
	for (uint32_t i = 0; i < 3; i++)
		truths[i] = truth_thread(t, i, follow.view, follow.columns);
	ck_assert_int_eq(random_play_begin(&player, t, out), 0);
	ck_assert_int_eq(tf_writer_flush(player.writer, NULL), 0);
	for (;; reads++) {
		bool last = player.next_op == t->ops.count;

		if (last) {
			ck_assert_int_eq(random_play_end(&player, true), 0);
		} else {
			ck_assert_int_eq(random_play(&player, 7), 0);
			if (reads % 3 == 2)
				for (unsigned i = 0; i < 3; i++) /* refused before an
									   execution */
					tf_stream_flush(player.streams[i], NULL);
		}
		if (!reader) {
			reader = open_file(fd);
			for (uint32_t i = 0; i < 3; i++) {
				follow.thread = i;
				ck_assert_int_eq(tf_cursor_open(reader, &follow, &cursors[i], NULL),
						 0);
			}
		}
		ck_assert_int_ge(tf_refresh(reader, NULL), 0);
		for (unsigned i = 0; i < 3; i++)
			next[i] = take_new(cursors[i], &truths[i], next[i]);
		if (last)
			break;
	}
	ck_assert_int_eq(tf_refresh(reader, NULL), 0);
	ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
	ck_assert(info.complete);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_uint_eq(next[i], truths[i].items.count);
		free(truths[i].items.at);
		tf_cursor_close(cursors[i]);
	}
	tf_close(reader);
	close(fd);
	close(out);
	random_trace_free(t);
}
END_TEST

struct parallel {
	struct random_player *player;
	uint32_t thread;
	int status;
};

static void *play_thread(void *opaque)
{
	struct parallel *p = opaque;
	const struct random_trace *t = p->player->trace;
	struct random_player mine = *p->player; /* its own error */

	for (size_t i = 0; i < t->ops.count && p->status == 0; i++)
		if (t->ops.at[i].thread == p->thread && t->ops.at[i].kind < OP_FLUSH_WRITER)
			p->status = random_play_op(&mine, &t->ops.at[i]);
	return NULL;
}

/* Several threads fill the streams of one writer at a time. */
START_TEST(parallel_streams)
{
	struct random_options options = small_options(40 + (uint64_t)_i);
	struct parallel parallel[3];
	struct random_player player;
	struct random_trace *t;
	struct tf_reader *reader;
	pthread_t threads[3];
	int fd = new_file();

	options.n_execs = 3000;
	t = random_trace_new(&options);
	ck_assert_int_eq(random_play_begin(&player, t, fd), 0);
	ck_assert_int_eq(random_add_paths(&player, options.n_paths - 1), 0);
	for (uint32_t i = 0; i < 3; i++) {
		parallel[i] = (struct parallel){ &player, i, 0 };
		ck_assert_int_eq(pthread_create(&threads[i], NULL, play_thread, &parallel[i]), 0);
	}
	for (uint32_t i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		ck_assert_int_eq(parallel[i].status, 0);
	}
	ck_assert_int_eq(random_play_end(&player, true), 0);
	reader = open_file(fd);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	check_equal_to_truth(reader, t);
	tf_close(reader);
	close(fd);
	random_trace_free(t);
}
END_TEST

/* ---- threads of the writer's own ---- */

static void check_same_bytes(int a, int b)
{
	size_t size = file_size(a);
	uint8_t *x = malloc(size), *y = malloc(size);

	ck_assert_uint_eq(file_size(b), size);
	read_at(a, x, size, 0);
	read_at(b, y, size, 0);
	ck_assert_int_eq(memcmp(x, y, size), 0);
	free(x);
	free(y);
}

START_TEST(threads_write_the_same)
{
	struct random_options options = small_options(900 + (uint64_t)_i);
	struct random_trace *t;
	int alone, together;

	options.n_execs = 3000;
	t = random_trace_new(&options);
	alone = file_of_trace(t, true);
	t->options.writer_threads = 1 + (unsigned)_i % 4;
	together = file_of_trace(t, true);
	check_same_bytes(alone, together);
	close(alone);
	close(together);
	random_trace_free(t);
}
END_TEST

START_TEST(threads_tell_of_errors)
{
	struct random_options options = small_options(950);
	struct tf_error error = { .text = "" };
	struct random_trace *t;
	int full = memfd_create("full", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(ftruncate(full, 2000), 0);
	ck_assert_int_eq(fcntl(full, F_ADD_SEALS, F_SEAL_GROW), 0);
	options.n_execs = 3000;
	options.writer_threads = 2;
	t = random_trace_new(&options);
	ck_assert_int_eq(random_trace_write(t, full, true, &error), TF_E_IO);
	ck_assert_ptr_nonnull(strstr(error.text, "cannot write at offset "));
	close(full);
	random_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat growing");
	TCase *tests = tcase_create("writer");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, growing, 0, 6);
	tcase_add_loop_test(tests, parallel_streams, 0, 3);
	tcase_add_loop_test(tests, threads_write_the_same, 0, 12);
	tcase_add_test(tests, threads_tell_of_errors);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
