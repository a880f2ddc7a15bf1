/* SPDX-License-Identifier: MIT */
/* Tests system calls that a traced child makes for the recorder, including one that does not come
 * back in time. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/task.h"
#include "recorder/ptrace/remote.h"
#include "tests/unit/recorder/traced_child.h"
#include "tests/unit/run_suite.h"

static struct traced_child child;
static int ends[2]; /* of a pipe from the test to the child */

static void on_tick(int signal)
{
	(void)signal;
}

/* Starts the timer as schedule_begin() does: without SA_RESTART. */
static void tick(void)
{
	struct itimerval timer = { .it_interval.tv_usec = 10000, .it_value.tv_usec = 10000 };
	struct sigaction action = { .sa_handler = on_tick };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void start_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
}

static void start_child(void (*prepare)(void))
{
	ck_assert_int_eq(pipe(ends), 0);
	traced_child_start(&child, prepare);
}

static void end_child(void)
{
	traced_child_end(&child);
	close(ends[0]);
	close(ends[1]);
}

START_TEST(a_call_leaves_no_trace)
{
	struct user_regs_struct before;

	start_child(NULL);
	before = child.task.regs;
	ck_assert_int_eq(remote_syscall(&child.task, SYS_getpid, (uint64_t[6]){ 0 }),
			 child.task.tid);
	ck_assert(task_read_regs(&child.task));
	ck_assert_mem_eq(&before, &child.task.regs, sizeof(before));
	end_child();
}
END_TEST

/* The child reads from a pipe that has no data yet. */
START_TEST(a_late_call_is_an_error)
{
	struct task *t = &child.task;
	struct user_regs_struct before;
	char pid[32], byte = 0;
	int status;

	start_child(NULL);
	before = t->regs;
	tick();
	child.session.watchdog.call_limit = 0.05;
	ck_assert_int_eq(remote_syscall(t, SYS_read,
					(uint64_t[6]){ (uint64_t)ends[0], t->regs.rsp - 4096, 1 }),
			 -ETIMEDOUT);
	ck_assert(child.session.error.is_set);
	snprintf(pid, sizeof(pid), "process %d:", (int)t->tid);
	ck_assert_ptr_nonnull(strstr(child.session.error.first.text, pid));
	ck_assert_ptr_nonnull(strstr(child.session.error.first.text, "from system call 0,"));
	ck_assert_int_eq(write(ends[1], &byte, 1), 1);
	while (waitpid(t->tid, &status, 0) < 0)
		ck_assert_int_eq(errno, EINTR);
	ck_assert(WIFSTOPPED(status));
	t->state = TASK_READY; /* as the event loop sets it at the stop */
	remote_finish(t);
	ck_assert(task_read_regs(t));
	ck_assert_uint_eq(before.rip, t->regs.rip);
	ck_assert_uint_eq(before.rsp, t->regs.rsp);
	ck_assert_uint_eq(before.rax, t->regs.rax);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	end_child();
}
END_TEST

static void kill_child(void)
{
	int status;

	kill(child.task.tid, SIGKILL);
	do {
		while (waitpid(child.task.tid, &status, 0) < 0)
			ck_assert_int_eq(errno, EINTR);
		if (WIFSTOPPED(status)) /* the child's exit stop */
			ptrace(PTRACE_CONT, child.task.tid, NULL, NULL);
	} while (WIFSTOPPED(status));
	ck_assert(WIFSIGNALED(status) || WIFEXITED(status));
}

/* The first thread ends. Its end is reported only after the other thread has ended. */
START_TEST(a_zombie_is_not_waited_for)
{
	start_child(start_thread);
	tick();
	ck_assert_int_lt(remote_syscall(&child.task, SYS_exit, (uint64_t[6]){ 0 }), 0);
	ck_assert_int_eq(child.task.state, TASK_DYING);
	ck_assert(!child.session.error.is_set);
	ck_assert_int_eq(remote_syscall(&child.task, SYS_getpid, (uint64_t[6]){ 0 }), -ESRCH);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	kill_child();
}
END_TEST

START_TEST(an_end_is_noted)
{
	struct task *t = &child.task;

	start_child(start_thread);
	ptrace(PTRACE_SETOPTIONS, t->tid, NULL, TASK_TRACE_OPTIONS);
	ck_assert_int_lt(remote_syscall(t, SYS_exit, (uint64_t[6]){ 0 }), 0);
	ck_assert(t->life.ended);
	ck_assert_int_eq(t->life.end_status >> 16, PTRACE_EVENT_EXIT);
	ck_assert_int_eq(remote_syscall(t, SYS_getpid, (uint64_t[6]){ 0 }), -ESRCH);
	kill_child();
}
END_TEST

/* Executes a program when a byte arrives. */
static void *execute_when_told(void *unused)
{
	char byte;

	if (read(ends[0], &byte, 1) == 1)
		execl("/bin/true", "true", NULL);
	_exit(1);
	return unused;
}

static void wait_for_stop(pid_t tid, int *status)
{
	ck_assert_int_eq(waitpid(tid, status, __WALL), tid);
	ck_assert(WIFSTOPPED(*status));
}

/* Makes a child whose second thread, also traced, will execute a program. The first thread is
 * stopped. */
static void start_child_that_executes(void)
{
	struct task *t = &child.task;
	unsigned long second;
	pthread_t thread;
	int status;

	memset(&child, 0, sizeof(child));
	ck_assert_int_eq(pipe(ends), 0);
	t->tid = fork();
	ck_assert_int_ge(t->tid, 0);
	if (t->tid == 0) {
		raise(SIGSTOP);
		pthread_create(&thread, NULL, execute_when_told, NULL);
		for (;;)
			pause();
	}
	ck_assert_int_eq(waitpid(t->tid, &status, WUNTRACED), t->tid);
	ck_assert_int_eq(ptrace(PTRACE_SEIZE, t->tid, NULL, TASK_TRACE_OPTIONS | PTRACE_O_EXITKILL),
			 0);
	kill(t->tid, SIGCONT);
	do {
		wait_for_stop(t->tid, &status);
		if (status >> 16 != PTRACE_EVENT_CLONE)
			ptrace(PTRACE_CONT, t->tid, NULL, NULL);
	} while (status >> 16 != PTRACE_EVENT_CLONE);
	ck_assert_int_eq(ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &second), 0);
	wait_for_stop((pid_t)second, &status);
	ck_assert_int_eq(ptrace(PTRACE_CONT, (pid_t)second, NULL, NULL), 0);
	traced_child_join(&child);
	ck_assert(task_read_regs(t));
}

/* Returns true at an exit stop that has not been reported yet. */
static bool exits(const struct task *t)
{
	siginfo_t info;

	return task_read_info(t, &info) && info.si_code >> 8 == PTRACE_EVENT_EXIT;
}

/* A call resumes the first thread from its exit stop, and with it another thread's exec. */
START_TEST(who_has_its_tid_is_not_written_to)
{
	struct task *t = &child.task;
	struct user_regs_struct before, now;

	start_child_that_executes();
	before = t->regs;
	ck_assert_int_eq(write(ends[1], "", 1), 1);
	while (!exits(t))
		usleep(1000);
	ck_assert_int_eq(remote_syscall(t, SYS_getpid, (uint64_t[6]){ 0 }), -ESRCH);
	ck_assert_int_eq(t->state, TASK_DYING);
	ck_assert(t->life.ended);
	ck_assert_int_eq(t->life.end_status >> 16, PTRACE_EVENT_EXEC);
	ck_assert_uint_eq(before.rip, t->regs.rip);
	ck_assert(!task_write_regs(t));
	ck_assert(!task_write_mask(t, UINT64_MAX));
	ck_assert(!task_resume(t, PTRACE_CONT, TASK_RUNNING));
	ck_assert_int_eq(t->state, TASK_DYING);
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, t->tid, NULL, &now), 0);
	ck_assert_uint_ne(before.rip, now.rip);
	ck_assert_uint_ne(before.rsp, now.rsp);
	kill_child();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("remote");
	TCase *calls = tcase_create("calls");

	tcase_add_test(calls, a_call_leaves_no_trace);
	tcase_add_test(calls, a_late_call_is_an_error);
	tcase_add_test(calls, a_zombie_is_not_waited_for);
	tcase_add_test(calls, an_end_is_noted);
	tcase_add_test(calls, who_has_its_tid_is_not_written_to);
	suite_add_tcase(suite, calls);
	return run_suite(suite);
}
