/* SPDX-License-Identifier: MIT */
/* Tests system calls that a traced child makes for the recorder, including one that does not come
 * back in time. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/core/task.h"
#include "recorder/ptrace/remote.h"
#include "tests/unit/run_suite.h"

enum { CHILD_STATUS = 42 };

static struct {
	struct session session;
	struct process process;
	struct task task;
	int pipe[2];
} box;

/* Returns the address of a syscall instruction in the vdso, which the child has where the parent
 * has it. */
static uint64_t syscall_insn(void)
{
	enum { VDSO_BYTES = 4096 };
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	const char *at = memmem(vdso, VDSO_BYTES, "\x0f\x05", 2);

	ck_assert_ptr_nonnull(at);
	return (uint64_t)at;
}

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

enum box { LONE, THREADED };

static void open_box(enum box kind)
{
	struct task *t = &box.task;
	pthread_t thread;
	int status;

	memset(&box, 0, sizeof(box));
	ck_assert_int_eq(pipe(box.pipe), 0);
	t->tid = fork();
	ck_assert_int_ge(t->tid, 0);
	if (t->tid == 0) {
		if (kind == THREADED)
			pthread_create(&thread, NULL, wait_for_ever, NULL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(CHILD_STATUS);
	}
	ck_assert_int_eq(waitpid(t->tid, &status, 0), t->tid);
	ck_assert(WIFSTOPPED(status));
	ptrace(PTRACE_SETOPTIONS, t->tid, NULL, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
	pthread_mutex_init(&box.session.error.lock, NULL);
	t->session = box.process.session = &box.session;
	t->process = &box.process;
	box.process.pid = t->tid;
	box.process.remote.syscall_pc = syscall_insn();
	ck_assert(task_read_regs(t));
}

/* Lets the child end as if the recorder had done nothing with it. */
static void close_box(void)
{
	int status;

	ck_assert_int_eq(ptrace(PTRACE_DETACH, box.task.tid, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(box.task.tid, &status, 0), box.task.tid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == CHILD_STATUS);
	close(box.pipe[0]);
	close(box.pipe[1]);
}

START_TEST(a_call_leaves_no_trace)
{
	struct user_regs_struct before;

	open_box(LONE);
	before = box.task.regs;
	ck_assert_int_eq(remote_syscall(&box.task, SYS_getpid, (uint64_t[6]){ 0 }), box.task.tid);
	ck_assert(task_read_regs(&box.task));
	ck_assert_mem_eq(&before, &box.task.regs, sizeof(before));
	close_box();
}
END_TEST

/* The child reads from a pipe that has no data yet. */
START_TEST(a_late_call_is_an_error)
{
	struct task *t = &box.task;
	struct user_regs_struct before;
	char pid[32], byte = 0;
	int status;

	open_box(LONE);
	before = t->regs;
	tick();
	box.session.watchdog.call_limit = 0.05;
	ck_assert_int_eq(remote_syscall(t, SYS_read,
					(uint64_t[6]){ (uint64_t)box.pipe[0], t->regs.rsp - 4096,
						       1 }),
			 -ETIMEDOUT);
	ck_assert(box.session.error.is_set);
	snprintf(pid, sizeof(pid), "process %d:", (int)t->tid);
	ck_assert_ptr_nonnull(strstr(box.session.error.first.text, pid));
	ck_assert_ptr_nonnull(strstr(box.session.error.first.text, "from system call 0,"));
	ck_assert_int_eq(write(box.pipe[1], &byte, 1), 1);
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
	close_box();
}
END_TEST

static void kill_box(void)
{
	int status;

	kill(box.task.tid, SIGKILL);
	do {
		while (waitpid(box.task.tid, &status, 0) < 0)
			ck_assert_int_eq(errno, EINTR);
		if (WIFSTOPPED(status)) /* the child's exit stop */
			ptrace(PTRACE_CONT, box.task.tid, NULL, NULL);
	} while (WIFSTOPPED(status));
	ck_assert(WIFSIGNALED(status) || WIFEXITED(status));
}

/* The first thread ends. Its end is reported only after the other thread has ended. */
START_TEST(a_zombie_is_not_waited_for)
{
	open_box(THREADED);
	tick();
	ck_assert_int_lt(remote_syscall(&box.task, SYS_exit, (uint64_t[6]){ 0 }), 0);
	ck_assert_int_eq(box.task.state, TASK_DYING);
	ck_assert(!box.session.error.is_set);
	ck_assert_int_eq(remote_syscall(&box.task, SYS_getpid, (uint64_t[6]){ 0 }), -ESRCH);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	kill_box();
}
END_TEST

START_TEST(an_end_is_noted)
{
	struct task *t = &box.task;

	open_box(THREADED);
	ptrace(PTRACE_SETOPTIONS, t->tid, NULL, TASK_TRACE_OPTIONS);
	ck_assert_int_lt(remote_syscall(t, SYS_exit, (uint64_t[6]){ 0 }), 0);
	ck_assert(t->life.ended);
	ck_assert_int_eq(t->life.end_status >> 16, PTRACE_EVENT_EXIT);
	ck_assert_int_eq(remote_syscall(t, SYS_getpid, (uint64_t[6]){ 0 }), -ESRCH);
	kill_box();
}
END_TEST

/* Executes a program when a byte arrives. */
static void *execute_when_told(void *unused)
{
	char byte;

	if (read(box.pipe[0], &byte, 1) == 1)
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
static void open_box_that_executes(void)
{
	struct task *t = &box.task;
	unsigned long second;
	pthread_t thread;
	int status;

	memset(&box, 0, sizeof(box));
	ck_assert_int_eq(pipe(box.pipe), 0);
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
	t->session = box.process.session = &box.session;
	t->process = &box.process;
	box.process.remote.syscall_pc = syscall_insn();
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
	struct task *t = &box.task;
	struct user_regs_struct before, now;

	open_box_that_executes();
	before = t->regs;
	ck_assert_int_eq(write(box.pipe[1], "", 1), 1);
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
	kill_box();
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
