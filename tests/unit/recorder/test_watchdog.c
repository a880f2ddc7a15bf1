/* SPDX-License-Identifier: MIT */
/*
 * Tests that recordings without progress end with an error. The backends are the test's own, and
 * replace the recorder's: they fail to make a program progress.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recorder/core/backend.h"
#include "recorder/core/task.h"
#include "recorder/ptrace/syscalls.h"
#include "recorder/ptrace/watchdog.h"
#include "recorder/recorder.h"
#include "tests/unit/run_suite.h"

/* ---- backends ---- */

static bool settling_is_progress;

/* Sets the limit, to a value that stands for the recorder's 30 s. */
static int start(struct task *t)
{
	t->session->watchdog.limit = 0.2;
	return 0;
}

static int synchronize(struct task *t)
{
	t->progress += settling_is_progress;
	return 0;
}

static int succeed(struct task *t)
{
	(void)t;
	return 0;
}

/* Leaves the task as it is. */
static int resume_in_vain(struct task *t)
{
	(void)t;
	return 0;
}

static int run(struct task *t)
{
	task_resume(t, PTRACE_CONT, TASK_RUNNING);
	return 0;
}

static int step(struct task *t)
{
	enum { MANY = 10000 };

	if (t->progress == MANY)
		return run(t);
	t->progress++;
	task_resume(t, PTRACE_SINGLESTEP, TASK_RUNNING);
	return 0;
}

static int stopped(struct task *t, int status)
{
	enum { SYSCALL_STOP = SIGTRAP | 0x80 };

	if (!task_read_regs(t) || WSTOPSIG(status) != SYSCALL_STOP)
		return 0;
	return t->syscall.inside ? syscalls_leave(t) : syscalls_enter(t, false);
}

/* the way in which tasks are resumed */
static int (*side_exit)(struct task *);

static int resume(struct task *t)
{
	return side_exit(t);
}

#define STUCK(NAME)                                                                          \
	{                                                                                    \
		.name = NAME, .task_start = start, .exiting = succeed, .task_end = succeed,  \
		.exec = succeed, .resume = resume, .stopped = stopped, .delivered = succeed, \
		.synchronize = synchronize, .look = task_read_regs                           \
	}
const struct backend translate_backend = STUCK("translate"), step_backend = STUCK("step");

bool step_is_between_blocks(const struct task *task)
{
	(void)task;
	return true;
}

/* ---- the test's clock ---- */

static struct session box;
static struct task task;

static void open_box(void)
{
	static struct process process;

	memset(&box, 0, sizeof(box));
	memset(&task, 0, sizeof(task));
	settling_is_progress = false;
	pthread_mutex_init(&box.error.lock, NULL);
	box.backend = &step_backend;
	box.region.phase = PHASE_RECORD;
	box.watchdog.limit = 30;
	box.tasks.current = &task;
	process.pid = getpid();
	task = (struct task){ .next = &task,
			      .session = &box,
			      .process = &process,
			      .tid = getpid(),
			      .state = TASK_READY,
			      .trace.stream = (struct tf_stream *)&box };
	box.watchdog.looked = 1000;
}

/* Resumes the task so many times each second. Returns after how many seconds that has failed, or
 * -1. */
static int fails_after(int seconds, int resumes)
{
	for (int now = 1; now <= seconds; now++) {
		for (int i = 0; i < resumes; i++)
			if (watchdog_resume(&task) < 0)
				return now;
		if (watchdog_look(&box, 1000 + now) < 0)
			return now;
	}
	return -1;
}

START_TEST(many_resumes_without_progress)
{
	int seconds;

	open_box();
	seconds = fails_after(100, 1000);
	ck_assert_int_ge(seconds, 30);
	ck_assert_int_le(seconds, 40);
	ck_assert_ptr_nonnull(strstr(box.error.first.text, "makes no progress at"));
	ck_assert_ptr_nonnull(strstr(box.error.first.text, "does not retire"));
}
END_TEST

START_TEST(a_signal_again_and_again)
{
	open_box();
	for (int i = 0; i < 200; i++)
		watchdog_signal(&task, SIGSEGV);
	ck_assert_int_gt(fails_after(100, 1000), 0);
	ck_assert_ptr_nonnull(strstr(box.error.first.text, "signal 11 ("));
	ck_assert_ptr_nonnull(strstr(box.error.first.text, "again and again"));
}
END_TEST

START_TEST(nothing_is_wrong)
{
	open_box(); /* the task waits */
	ck_assert_int_eq(fails_after(1000, 1), -1);
	open_box(); /* nothing is recorded */
	box.region.phase = PHASE_NATIVE;
	ck_assert_int_eq(fails_after(1000, 1000), -1);
	open_box(); /* executed instructions are known only when the task is synchronized */
	settling_is_progress = true;
	ck_assert_int_eq(fails_after(1000, 1000), -1);
	open_box(); /* the task is slow */
	for (int i = 0; i < 50; i++) {
		ck_assert_int_eq(fails_after(25, 1000), -1);
		task.progress++;
		box.watchdog.looked = 1000;
	}
}
END_TEST

/* The recorder, or the machine, was suspended. */
START_TEST(time_without_looks_does_not_count)
{
	open_box();
	for (int i = 0; i < 10000; i++)
		ck_assert_int_eq(watchdog_resume(&task), 0);
	ck_assert_int_eq(watchdog_look(&box, 100000), 0);
	ck_assert_int_eq(watchdog_resume(&task), 0);
	ck_assert(!task.watched.suspected);
}
END_TEST

/* Uses some milliseconds of CPU time in user mode. */
static void compute(void)
{
	for (volatile int i = 0; i < 10000000; i++)
		;
}

/* Another task makes progress; this one is stuck all the same. */
START_TEST(cpu_time_of_one_among_others)
{
	struct task other;
	double now = 1000;

	open_box();
	other = task;
	other.next = &task;
	other.state = TASK_LISTENING;
	task.next = &other;
	box.watchdog.limit = 0.1;
	while (!task.watched.suspected && clock() < 60 * CLOCKS_PER_SEC) {
		compute();
		other.progress++;
		ck_assert_int_eq(watchdog_look(&box, now += 1), 0);
	}
	ck_assert(task.watched.suspected);
	ck_assert_int_eq(watchdog_resume(&task), -1);
	ck_assert_ptr_nonnull(strstr(box.error.first.text, "uses CPU time"));
}
END_TEST

/* A task may use CPU time natively, and that time is not counted when the recording begins. */
START_TEST(cpu_time_while_nothing_is_recorded)
{
	double now = 1000;

	open_box();
	box.watchdog.limit = 0.1;
	box.region.phase = PHASE_NATIVE;
	while (clock() < CLOCKS_PER_SEC / 2) {
		compute();
		ck_assert_int_eq(watchdog_look(&box, now += 1), 0);
	}
	ck_assert(!task.watched.suspected);
	box.watchdog.limit = 0.4;
	box.region.phase = PHASE_RECORD;
	ck_assert_int_eq(watchdog_look(&box, now += 1), 0);
	ck_assert(!task.watched.suspected);
}
END_TEST

/* ---- programs ---- */

static struct record_result result;
static struct tf_error error;

static int record(int (*how)(struct task *), char *command, bool kill)
{
	char *argv[] = { "/bin/sh", "-c", command, NULL };
	struct record_options o = {
		.size = sizeof(o), .argv = argv, .output = "/dev/null", .kill_on_error = kill
	};

	side_exit = how;
	settling_is_progress = false;
	return record_run(&o, &result, &error);
}

START_TEST(a_program_that_is_not_resumed)
{
	ck_assert_int_lt(record(resume_in_vain, "exit 3", false), 0);
	ck_assert_int_eq(result.exit_status, 125);
	ck_assert_str_eq(result.stop_reason, "error");
	ck_assert_ptr_nonnull(strstr(error.text, "makes no progress at 0x"));
	ck_assert_ptr_nonnull(strstr(error.text, "+0x"));
	ck_assert_ptr_nonnull(strstr(error.text, "unrecorded and ended with status 3"));
}
END_TEST

START_TEST(a_program_that_runs_without_progress)
{
	ck_assert_int_lt(record(run, "while :; do :; done", true), 0);
	ck_assert_int_eq(result.exit_status, 125);
	ck_assert_ptr_nonnull(strstr(error.text, "uses CPU time"));
	ck_assert_ptr_nonnull(strstr(error.text, "was killed"));
}
END_TEST

START_TEST(programs_that_sleep_or_are_slow)
{
	ck_assert_int_eq(record(run, "exec sleep 1", false), 0);
	ck_assert_str_eq(result.stop_reason, "exit");
	ck_assert_int_eq(record(step, "exit 5", false), 0);
	ck_assert_str_eq(result.stop_reason, "exit");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watchdog");
	TCase *clock_tests = tcase_create("clock"), *programs = tcase_create("programs");

	tcase_set_timeout(clock_tests, 120);
	tcase_set_timeout(programs, 120);
	tcase_add_test(clock_tests, many_resumes_without_progress);
	tcase_add_test(clock_tests, a_signal_again_and_again);
	tcase_add_test(clock_tests, nothing_is_wrong);
	tcase_add_test(clock_tests, time_without_looks_does_not_count);
	tcase_add_test(clock_tests, cpu_time_of_one_among_others);
	tcase_add_test(clock_tests, cpu_time_while_nothing_is_recorded);
	tcase_add_test(programs, a_program_that_is_not_resumed);
	tcase_add_test(programs, a_program_that_runs_without_progress);
	tcase_add_test(programs, programs_that_sleep_or_are_slow);
	suite_add_tcase(suite, clock_tests);
	suite_add_tcase(suite, programs);
	return run_suite(suite);
}
