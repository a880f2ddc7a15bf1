/* SPDX-License-Identifier: MIT */
/* The kinds of files that traces can be written to, and writes that fail. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/scratch.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/traces/trace_file.h"

static void *drain(void *opaque)
{
	int *fds = opaque; /* from a pipe, to a file */
	char bytes[4096];
	ssize_t n;

	while ((n = read(fds[0], bytes, sizeof(bytes))) > 0)
		if (write(fds[1], bytes, (size_t)n) != n)
			abort();
	return NULL;
}

START_TEST(pipe_gives_the_same)
{
	struct random_options options = small_options(11);
	struct random_trace *t = random_trace_new(&options);
	int direct = file_of_trace(t, true), ends[2], fds[2];
	size_t size = file_size(direct);
	uint8_t *a = malloc(size), *b = malloc(size);
	pthread_t thread;

	ck_assert_int_eq(pipe(ends), 0);
	fds[0] = ends[0];
	fds[1] = new_file();
	ck_assert_int_eq(pthread_create(&thread, NULL, drain, fds), 0);
	ck_assert_int_eq(random_trace_write(t, ends[1], true, NULL), 0);
	close(ends[1]);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(file_size(fds[1]), size);
	read_at(direct, a, size, 0);
	read_at(fds[1], b, size, 0);
	ck_assert_int_eq(memcmp(a, b, size), 0);
	free(a);
	free(b);
	random_trace_free(t);
}
END_TEST

/* A reader that closes its pipe after some bytes causes a lasting error, and no crash. */
START_TEST(broken_pipe)
{
	struct random_options options = small_options(12);
	struct random_trace *t = random_trace_new(&options);
	struct tf_error error = { .text = "" };
	struct random_player player;
	int ends[2], status;

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(random_play_begin(&player, t, ends[1]), 0);
	ck_assert_int_eq(random_play(&player, 50), 0);
	close(ends[0]);
	status = random_play(&player, SIZE_MAX);
	if (status == 0) /* no chunk was full before the end */
		status = tf_stream_flush(player.streams[0], &player.error);
	ck_assert_int_eq(status, TF_E_IO);
	ck_assert_ptr_nonnull(strstr(player.error.text, strerror(EPIPE)));
	ck_assert_int_eq(tf_writer_meta(player.writer, "a", "b", NULL), 0);
	ck_assert_int_eq(tf_writer_flush(player.writer, &error), TF_E_IO);
	ck_assert_str_eq(error.text, player.error.text);
	ck_assert_int_eq(tf_writer_finish(player.writer, 0, "exit", NULL), TF_E_IO);
	random_play_end(&player, false);
	close(ends[1]);
	random_trace_free(t);
}
END_TEST

START_TEST(cannot_create)
{
	struct tf_error error = { .text = "" };
	struct tf_writer *writer;
	scratch_path path;
	struct tf_reader *reader;
	int fd;

	ck_assert_int_eq(tf_writer_create("/nowhere/x.trace", NULL, &writer, &error), TF_E_IO);
	ck_assert_ptr_nonnull(strstr(error.text, "/nowhere/x.trace"));
	ck_assert_int_eq(tf_writer_create("/dev/full", NULL, &writer, &error), TF_E_IO);
	ck_assert_ptr_nonnull(strstr(error.text, strerror(ENOSPC)));

	fd = scratch_file(path, "trace"); /* what was there is replaced */
	write_at(fd, path, sizeof(path), 1000);
	ck_assert_int_eq(tf_writer_create(path, NULL, &writer, &error), 0);
	ck_assert_int_eq(tf_writer_finish(writer, 0, "exit", NULL), 0);
	tf_writer_free(writer);
	ck_assert_int_eq(tf_open(path, &reader, &error), 0);
	ck_assert_int_eq(tf_verify(reader, print_fault, NULL, NULL), 0);
	tf_close(reader);
	unlink(path);
	close(fd);
}
END_TEST

/* A file cannot grow beyond some size, as on a full disk. The part written can be read. */
START_TEST(full_disk)
{
	struct random_options options = small_options(13);
	struct random_trace *t = random_trace_new(&options);
	int whole = file_of_trace(t, true), fd;
	size_t size = file_size(whole);
	scratch_path path;

	signal(SIGXFSZ, SIG_IGN);
	fd = scratch_file(path, "trace");
	unlink(path);
	for (size_t limit = 64; limit < size; limit += 1 + size / 100) {
		struct rlimit r = { limit, RLIM_INFINITY };
		struct tf_cursor_options merged = TF_CURSOR_OPTIONS;
		struct tf_error error = { .text = "" };
		struct tf_reader *reader;
		struct tf_cursor *cursor;
		struct tf_info info;
		struct tf_item item;

		ck_assert_int_eq(ftruncate(fd, 0), 0);
		ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
		ck_assert_int_eq(random_trace_write(t, fd, true, &error), TF_E_IO);
		r.rlim_cur = RLIM_INFINITY;
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
		ck_assert_ptr_nonnull(strstr(error.text, strerror(EFBIG)));
		ck_assert_uint_eq(file_size(fd), limit);

		reader = open_file(fd);
		ck_assert_int_eq(tf_get_info(reader, &info, NULL), 0);
		ck_assert(!info.complete);
		ck_assert_int_eq(tf_cursor_open(reader, &merged, &cursor, NULL), 0);
		while (tf_next(cursor, &item, &error) > 0)
			info.totals.instructions -= item.instructions;
		ck_assert_uint_eq(info.totals.instructions, 0);
		tf_cursor_close(cursor);
		tf_close(reader);
	}
	random_trace_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("traceformat outputs");
	TCase *tests = tcase_create("writer");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, pipe_gives_the_same);
	tcase_add_test(tests, broken_pipe);
	tcase_add_test(tests, cannot_create);
	tcase_add_test(tests, full_disk);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
