/* SPDX-License-Identifier: MIT */
/*
 * enters MODE: system calls of which most may be made without a stop of the program.
 *
 *	many		10,000 of them, by the C library and with numbers that nobody knows before
 *	wait		a thread waits in read() while others execute new and changing code
 *	signal		read() is interrupted by handlers, with and without SA_RESTART
 *	share		a thread waits in epoll_wait() while its process has code in common with a child, and
 *			unmaps some
 *	ignored		a thread waits in epoll_wait() and gets signals that do nothing
 *	exit		a thread is in read() as the program ends
 *	pause		some calls, then a read() that never ends
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static volatile int waiting;	/* the thread that does */
static volatile sig_atomic_t caught;

static long many(void)
{
	int zero = open("/dev/zero", O_RDONLY);
	unsigned char bytes[16];
	long sum = 0;

	for (unsigned i = 0; i < 2500; i++) {
		memset(bytes, 1, sizeof(bytes));
		sum += read(zero, bytes, i % sizeof(bytes)) + bytes[0];
		sum += write(ends[1], bytes, 4) + read(ends[0], bytes, 3);
		sum += syscall(i % 2 ? SYS_lseek : 100000, ends[0], 0, SEEK_CUR) < 0 ? errno : 0;
		sum += read(ends[0], bytes, 1);
	}
	return sum;
}

static void *wait_for_byte(void *none)
{
	char byte = 0;
	long n;

	(void)none;
	waiting = gettid();
	n = read(ends[0], &byte, 1);
	return (void *)(n + byte);
}

static void *wait_for_event(void *none)
{
	struct epoll_event event = { .events = EPOLLIN };
	int all = epoll_create1(0);
	long n, disturbed = 0;

	(void)none;
	epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &event);
	waiting = gettid();
	while ((n = epoll_wait(all, &event, 1, -1)) < 0 && errno == EINTR)
		disturbed++;
	return (void *)(n + 1000 * disturbed);
}

static unsigned char *pages(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Calls a function that returns the number, and unmaps its code. */
static unsigned made(unsigned number)
{
	unsigned char code[] = { 0xb8, 0, 0, 0, 0, 0xc3 }, *at = pages();
	unsigned result;

	memcpy(code + 1, &number, sizeof(number));
	memcpy(at, code, sizeof(code));
	result = ((unsigned (*)(void))at)();
	munmap(at, 4096);
	return result;
}

static long sum_of(unsigned n)
{
	long sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum = i % 3 ? sum + i : i % 7 ? sum ^ i : sum * 5 + 1;
	return sum;
}

/* Returns whether the thread, of this process or another, sleeps, which it does only in its wait. */
static int sleeps(void)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", waiting);
	file = waiting ? fopen(path, "r") : NULL;
	if (!file)
		return 0;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state == 'S';
}

static pthread_t begin_waiting(void *(*wait)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait, NULL))
		exit(2);
	while (!sleeps())
		usleep(1000);
	return thread;
}

static long wait_long(void)
{
	pthread_t thread = begin_waiting(wait_for_byte);
	long sum = 0;
	void *got;

	for (unsigned i = 0; i < 50; i++)
		sum += made(i) + sum_of(20000);
	sum += write(ends[1], "x", 1);
	pthread_join(thread, &got);
	return sum + (long)got;
}

static void map_and_unmap(void)
{
	int self = open("/proc/self/exe", O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, self, 0);

	munmap(at, 4096);
	close(self);
}

static long share(void)
{
	pthread_t thread = begin_waiting(wait_for_event);
	int until[2];
	char byte;
	pid_t child;
	void *got;

	if (pipe(until) < 0)
		return -1;
	child = fork();
	if (child == 0) {
		close(until[1]);
		_exit(read(until[0], &byte, 1) != 0);
	}
	map_and_unmap();
	close(until[1]);
	waitpid(child, NULL, 0);
	if (write(ends[1], "x", 1) != 1)
		return -1;
	pthread_join(thread, &got);
	return (long)got;
}

static long ignored(void)
{
	const int signals[] = { SIGCHLD, SIGURG, SIGWINCH, SIGUSR1, SIGCONT };
	pthread_t thread = begin_waiting(wait_for_event);
	void *got;

	signal(SIGUSR1, SIG_IGN);
	for (unsigned i = 0; i < 20; i++) {
		syscall(SYS_tgkill, getpid(), waiting, signals[i % 5]);
		while (!sleeps())
			usleep(1000);
	}
	if (write(ends[1], "x", 1) != 1)
		return -1;
	pthread_join(thread, &got);
	return (long)got;
}

static void on_alarm(int number)
{
	(void)number;
	if (++caught == 2 && write(ends[1], "x", 1) != 1)
		_exit(2);
}

/*
 * Begins a process that signals this one in its next wait: a timer might do so before the wait begins, which would
 * then never end. The process stays, as its end would interrupt the wait, too.
 */
static pid_t begin_alarming(void)
{
	pid_t child;

	waiting = getpid();
	child = fork();
	if (child != 0)
		return child;
	while (!sleeps())
		usleep(1000);
	kill(waiting, SIGALRM);
	for (;;)
		pause();
}

static long interrupted(int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	char byte = 0;
	pid_t child;
	long n;

	sigaction(SIGALRM, &action, NULL);
	child = begin_alarming();
	if (child < 0)
		return -errno;
	n = read(ends[0], &byte, 1);
	n = n < 0 ? -errno : n;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return n;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long sum = 0;

	if (pipe(ends) < 0)
		return 2;
	if (strcmp(mode, "many") == 0) {
		sum = many();
	} else if (strcmp(mode, "wait") == 0) {
		sum = wait_long();
	} else if (strcmp(mode, "signal") == 0) {
		sum = interrupted(0);
		printf("%ld\n", sum);
		sum = interrupted(SA_RESTART);
	} else if (strcmp(mode, "share") == 0) {
		sum = share();
	} else if (strcmp(mode, "ignored") == 0) {
		sum = ignored();
	} else if (strcmp(mode, "exit") == 0) {
		begin_waiting(wait_for_byte);
	} else if (strcmp(mode, "pause") == 0) {
		for (unsigned i = 0; i < 100; i++)
			sum += getppid() > 0;
		sum += read(ends[0], &sum, 1);
	}
	printf("%ld\n", sum);
	return 0;
}
