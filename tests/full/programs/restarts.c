/* SPDX-License-Identifier: MIT */
/* Signals and stops interrupt system calls, which restart, fail, or restart with the time left. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include "say.h"

static volatile int ends[2], word;
static volatile sig_atomic_t calls;

static void on_alarm(int number)
{
	(void)number;
	if (++calls == 2 && write(ends[1], "x", 1) < 0)
		_exit(1);
	if (calls == 2)
		word = 1;
}

static void set(int flags, int ms)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval every = { .it_value = { 0, ms * 1000 }, .it_interval = { 0, ms * 1000 } };

	calls = word = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void off(const char *what, long result)
{
	const struct itimerval none = { { 0, 0 }, { 0, 0 } };
	int why = errno;
	char c;

	setitimer(ITIMER_REAL, &none, NULL);
	say("%s: %ld %d\n", what, result, result < 0 ? why : 0);
	while (poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, 0) == 1)
		if (read(ends[0], &c, 1) != 1)
			_exit(2);
}

static void each(int flags)
{
	struct timespec second = { 0, 900000000 }, left = { 0, 0 };
	struct pollfd p = { ends[0], POLLIN, 0 };
	struct epoll_event event = { .events = EPOLLIN };
	struct timeval time = { 30, 0 };
	int epoll = epoll_create1(0), queue = msgget(IPC_PRIVATE, 0600);
	struct {
		long kind;
		char text[8];
	} message;
	fd_set fds;
	char c;

	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	set(flags, 150);
	off("read", read(ends[0], &c, 1));
	set(flags, 150);
	off("poll", poll(&p, 1, 30000));
	set(flags, 150);
	off("epoll_wait", epoll_wait(epoll, &event, 1, 30000));
	FD_ZERO(&fds);
	FD_SET(ends[0], &fds);
	set(flags, 150);
	off("select", select(ends[0] + 1, &fds, NULL, NULL, &time));
	set(flags, 300);
	off("nanosleep", nanosleep(&second, &left));
	say("some time is left: %d\n", left.tv_sec || left.tv_nsec);
	set(flags, 300);
	off("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &second, NULL));
	set(flags, 150);
	off("futex",
	    syscall(SYS_futex, &word, FUTEX_WAIT, 0, &(struct timespec){ 30, 0 }, NULL, 0));
	set(flags, 150);
	off("futex without end",
	    syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, NULL, NULL, FUTEX_BITSET_MATCH_ANY));
	set(flags, 150);
	off("pause", pause());
	set(0, 150);
	off("msgrcv", msgrcv(queue, &message, 8, 0, 0));
	msgctl(queue, IPC_RMID, NULL);
	close(epoll);
}

/* A child stops and continues this process while it waits. No handler runs, so no call ends. */
static void stopped(void)
{
	struct timespec time = { 0, 300000000 }, left = { 0, 0 };
	struct pollfd p = { ends[0], POLLIN, 0 };
	pid_t me = getpid(), child;
	int status;
	char c;

	child = fork();
	if (!child) {
		for (int i = 0; i < 3; i++) {
			usleep(30000);
			kill(me, SIGSTOP);
			usleep(10000);
			kill(me, SIGCONT);
		}
		usleep(600000);
		if (write(ends[1], "xy", 2) != 2)
			_exit(1);
		_exit(0);
	}
	say("nanosleep over stops %d\n", nanosleep(&time, &left));
	say("poll over stops %d\n", poll(&p, 1, 60000));
	say("read %d\n", (int)read(ends[0], &c, 1) + (int)read(ends[0], &c, 1));
	waitpid(child, &status, 0);
	say("child %d\n", status);
}

static void waits_for_child(int flags)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		usleep(500000);
		_exit(3);
	}
	set(flags, 150);
	off("waitpid", waitpid(child, &status, 0) == child ? 1 : -1);
	waitpid(child, &status, 0);
	say("its status %d\n", WEXITSTATUS(status));
}

int main(void)
{
	int made[2];

	if (pipe(made))
		return 1;
	ends[0] = made[0];
	ends[1] = made[1];
	each(0);
	each(SA_RESTART);
	waits_for_child(0);
	waits_for_child(SA_RESTART);
	stopped();
	return 0;
}
