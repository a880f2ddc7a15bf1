/* SPDX-License-Identifier: MIT */
/*
 * Signals that come faster than a tracer that stops the program for each can deliver them: from timers,
 * from files, from another thread. Between signals the program counts to a number, and then ends.
 * Further ways send signals that must all arrive before the program goes on.
 * usage: rapid WAY COUNT
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long goal;
static volatile sig_atomic_t n, over;
static sigjmp_buf behind;

static void count_signal(int signal)
{
	(void)signal;
	n++;
}

static void call_and_count(int signal)
{
	n += syscall(SYS_getppid) > 0;
	(void)signal;
}

static void leave(int signal)
{
	(void)signal;
	n++;
	siglongjmp(behind, 1);
}

static void raise_again(int signal)
{
	if (++n < goal)
		raise(signal);
}

static void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

static void count(void)
{
	for (volatile long i = 0; i < goal; i++)
		;
}

static void count_calls(void)
{
	for (volatile long i = 0; i < goal / 100; i++)
		getppid();
}

static void tell(void)
{
	puts(n > 0 ? "ok" : "no signal");
}

static void set_interval(int which, long us)
{
	struct itimerval timer = { { 0, us }, { 0, us } };

	setitimer(which, &timer, NULL);
}

static void with_interval(void (*handler)(int), int flags, void (*what)(void))
{
	handle(SIGALRM, handler, flags);
	set_interval(ITIMER_REAL, 50);
	what();
	set_interval(ITIMER_REAL, 0);
	tell();
}

static void interval(void)
{
	with_interval(count_signal, 0, count);
}

static void nested(void)
{
	with_interval(count_signal, SA_NODEFER, count);
}

static void calling(void)
{
	with_interval(call_and_count, SA_RESTART, count_calls);
}

static void jumping(void)
{
	static volatile long done;

	handle(SIGALRM, leave, 0);
	if (sigsetjmp(behind, 1) == 0)
		set_interval(ITIMER_REAL, 50);
	while (done < goal)
		done++;
	signal(SIGALRM, SIG_IGN);
	set_interval(ITIMER_REAL, 0);
	tell();
}

static void profiling(void)
{
	handle(SIGPROF, count_signal, 0);
	handle(SIGVTALRM, count_signal, 0);
	set_interval(ITIMER_PROF, 50);
	set_interval(ITIMER_VIRTUAL, 50);
	count();
	set_interval(ITIMER_PROF, 0);
	set_interval(ITIMER_VIRTUAL, 0);
	puts("ok");
}

/* Sets several timers with real-time signals. */
static void timers(void)
{
	struct itimerspec every = { { 0, 100000 }, { 0, 100000 } }, off = { { 0, 0 }, { 0, 0 } };
	timer_t timer[4];

	for (int i = 0; i < 4; i++) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + i };

		handle(SIGRTMIN + i, count_signal, SA_SIGINFO);
		timer_create(CLOCK_MONOTONIC, &event, &timer[i]);
		timer_settime(timer[i], 0, &every, NULL);
	}
	count();
	for (int i = 0; i < 4; i++)
		timer_settime(timer[i], 0, &off, NULL);
	tell();
}

/* ---- from another thread ---- */

static pid_t target;
static int pipes[2];

static void *flood(void *signal)
{
	while (!over)
		syscall(SYS_tgkill, getpid(), target, *(int *)signal);
	return NULL;
}

static void *fill(void *unused)
{
	char byte;

	while (!over)
		if (write(pipes[1], "x", 1) != 1 || read(pipes[0], &byte, 1) != 1)
			break;
	return unused;
}

static void with_thread(void *(*run)(void *), int signal)
{
	pthread_t thread;
	sigset_t set;

	handle(signal, count_signal, 0);
	sigfillset(&set);
	sigdelset(&set, SIGSEGV);
	target = (pid_t)syscall(SYS_gettid);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	pthread_create(&thread, NULL, run, &signal);
	sigemptyset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	while (!n)
		;
	count();
	over = 1;
	pthread_join(thread, NULL);
	tell();
}

static void thread(void)
{
	with_thread(flood, SIGUSR1);
}

static void faults(void)
{
	with_thread(flood, SIGSEGV);
}

static void files(void)
{
	if (pipe(pipes) < 0)
		return;
	fcntl(pipes[0], F_SETOWN, getpid());
	fcntl(pipes[0], F_SETFL, O_ASYNC);
	with_thread(fill, SIGIO);
}

/* ---- signals that arrive before the program goes on ---- */

static void again(void)
{
	handle(SIGUSR1, raise_again, 0);
	raise(SIGUSR1);
	printf("%ld\n", (long)n);
}

static void queued(void)
{
	union sigval value = { 0 };
	sigset_t set;

	handle(SIGRTMIN, count_signal, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (long i = 0; i < goal; i++)
		sigqueue(getpid(), SIGRTMIN, value);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("%ld\n", (long)n);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void); } ways[] = {
		{ "interval", interval }, { "nested", nested }, { "calling", calling },
		{ "jumping", jumping }, { "profiling", profiling }, { "timers", timers },
		{ "thread", thread }, { "faults", faults }, { "files", files },
		{ "again", again }, { "queued", queued },
	};

	if (argc < 3)
		return 2;
	goal = atol(argv[2]);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].run();
			return 0;
		}
	return 2;
}
