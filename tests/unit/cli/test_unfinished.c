/* SPDX-License-Identifier: MIT */
/* A command that a signal ends removes its unfinished files and ends its children. */
#include <check.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/unfinished.h"
#include "tests/scratch.h"
#include "tests/unit/run_suite.h"

static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ };

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void expect_there(const char *path, bool there)
{
	struct stat status;

	ck_assert_msg((lstat(path, &status) == 0) == there, "%s %s", path,
		      there ? "is gone" : "is left");
}

static void enter_new_folder(void)
{
	scratch_path folder;

	scratch_folder(folder, "unfinished");
	ck_assert_int_eq(chdir(folder), 0);
}

/* Removes the working folder, which must be empty. */
static void leave_folder(void)
{
	scratch_path folder;

	ck_assert_ptr_nonnull(getcwd(folder, sizeof(folder)));
	ck_assert_int_eq(rmdir(folder), 0);
}

/* Returns the status of a child that writes files and sends itself the signal. */
static int status_after(int signal, sighandler_t inherited)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		sigaction(signal, &(struct sigaction){ .sa_handler = inherited }, NULL);
		make_file("finished");
		unfinished_end(unfinished_file("finished"));
		ck_assert_int_eq(symlink("finished", "link"), 0);
		unfinished_file("link");
		make_file("written");
		unfinished_file("written");
		unfinished_file("not begun");
		ck_assert_int_eq(mkdir("folder", 0700), 0);
		unfinished_folder("folder");
		make_file("folder/one");
		make_file("folder/two");
		raise(signal);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

START_TEST(signal_removes_what_is_unfinished)
{
	int status;

	enter_new_folder();
	status = status_after(signals[_i], SIG_DFL);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), signals[_i]);
	expect_there("written", false);
	expect_there("folder", false);
	expect_there("link", true);
	expect_there("finished", true);
	unlink("link");
	unlink("finished");
	leave_folder();
}
END_TEST

/* The pipe ends when the last process that can write to it has ended. */
START_TEST(signal_ends_children)
{
	int ends[2], status;
	pid_t child;
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		/* Check's handler would end the whole group. */
		sigaction(SIGTERM, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
		pid_t grandchild = fork();

		if (grandchild == 0) {
			sleep(60);
			_exit(write(ends[1], "!", 1) < 0);
		}
		unfinished_process(grandchild);
		raise(SIGHUP);
		_exit(0);
	}
	close(ends[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
}
END_TEST

START_TEST(ignored_signal_stays_ignored)
{
	static const char *const left[] = { "written", "folder/one", "folder/two", "link",
					    "finished" };

	enter_new_folder();
	ck_assert_int_eq(status_after(SIGHUP, SIG_IGN), 0);
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		expect_there(left[i], true);
		unlink(left[i]);
	}
	rmdir("folder");
	leave_folder();
}
END_TEST

START_TEST(standard_output_is_no_file)
{
	ck_assert_ptr_null(unfinished_file("-"));
	unfinished_end(NULL);
}
END_TEST

enum { N_THREADS = 8, N_REGISTRATIONS = 100000 };

static pthread_barrier_t start;

static void *register_again(void *path)
{
	pthread_barrier_wait(&start);
	for (int i = 0; i < N_REGISTRATIONS; i++)
		unfinished_end(unfinished_file(path));
	return NULL;
}

/* Registering a file never removes it, whatever other threads register at the same time. */
START_TEST(registered_by_threads)
{
	pthread_t threads[N_THREADS];
	char paths[N_THREADS][16];

	enter_new_folder();
	pthread_barrier_init(&start, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++) {
		sprintf(paths[i], "file%d", i);
		make_file(paths[i]);
		ck_assert_int_eq(pthread_create(&threads[i], NULL, register_again, paths[i]), 0);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&start);
	for (int i = 0; i < N_THREADS; i++) {
		expect_there(paths[i], true);
		unlink(paths[i]);
	}
	leave_folder();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unfinished");
	TCase *tests = tcase_create("unfinished");

	tcase_add_loop_test(tests, signal_removes_what_is_unfinished, 0,
			    sizeof(signals) / sizeof(signals[0]));
	tcase_add_test(tests, signal_ends_children);
	tcase_add_test(tests, ignored_signal_stays_ignored);
	tcase_add_test(tests, standard_output_is_no_file);
	tcase_add_test(tests, registered_by_threads);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
