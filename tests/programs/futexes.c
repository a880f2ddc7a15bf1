/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * futexes MODE: threads that block in system calls while others run, and what ends these calls:
 * timeouts, signals with and without SA_RESTART, other threads, cancellation. Prints results that do
 * not depend on the time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const struct timespec brief = { .tv_nsec = 50000000 }, very_long = { .tv_sec = 3600 };
static const struct timespec moment = { .tv_nsec = 1000000 };

/* ---- a thread that executes instructions meanwhile, so that intervals end ---- */

static atomic_bool over;

static void *run_on(void *unused)
{
	static volatile unsigned long sum;

	while (!over)
		for (unsigned i = 0; i < 1000; i++)
			sum = sum * 3 + i;
	return unused;
}

static pthread_t begin_running(void)
{
	pthread_t thread;

	over = false;
	pthread_create(&thread, NULL, run_on, NULL);
	return thread;
}

static void end_running(pthread_t thread)
{
	over = true;
	pthread_join(thread, NULL);
}

/* ---- a futex call with a known place ---- */

extern const char futex_call[], futex_behind[];

__attribute__((noipa)) static long futex(atomic_int *word, int operation, unsigned value, const void *timeout,
		  atomic_int *other, unsigned last)
{
	register const void *r10 __asm__("r10") = timeout;
	register atomic_int *r8 __asm__("r8") = other;
	register unsigned r9 __asm__("r9") = last;
	long result;

	__asm__ volatile("futex_call: syscall\nfutex_behind:"
			 : "=a"(result)
			 : "a"((long)SYS_futex), "D"(word), "S"(operation), "d"(value), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static const char *name_of(long result)
{
	return result >= 0 ? "done" : strerrorname_np((int)-result);
}

/* ---- timeouts ---- */

static struct timespec since(clockid_t clock, struct timespec later)
{
	struct timespec now;

	clock_gettime(clock, &now);
	now.tv_sec += later.tv_sec + (now.tv_nsec + later.tv_nsec) / 1000000000;
	now.tv_nsec = (now.tv_nsec + later.tv_nsec) % 1000000000;
	return now;
}

static void timeouts(void)
{
	pthread_t running = begin_running();
	struct timespec begin = since(CLOCK_MONOTONIC, (struct timespec){ 0 }), end;
	struct timeval tv = { .tv_usec = 50000 };
	struct epoll_event event;
	atomic_int word = 0;
	int epoll = epoll_create1(0);

	printf("relative %s\n", name_of(futex(&word, FUTEX_WAIT, 0, &brief, NULL, 0)));
	end = since(CLOCK_MONOTONIC, brief);
	printf("absolute %s\n", name_of(futex(&word, FUTEX_WAIT_BITSET, 0, &end, NULL, UINT_MAX)));
	end = since(CLOCK_REALTIME, brief);
	printf("realtime %s\n",
	       name_of(futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &end, NULL,
			     UINT_MAX)));
	printf("other value %s\n", name_of(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0)));
	printf("poll %d\n", poll(NULL, 0, 50));
	printf("select %d\n", select(0, NULL, NULL, NULL, &tv));
	printf("epoll_wait %d\n", epoll_wait(epoll, &event, 1, 50));
	printf("nanosleep %d\n", nanosleep(&brief, NULL));
	printf("clock_nanosleep %d\n", clock_nanosleep(CLOCK_MONOTONIC, 0, &brief, NULL));
	end = since(CLOCK_MONOTONIC, (struct timespec){ 0 });
	printf("waited %d\n", (end.tv_sec - begin.tv_sec) * 1000 +
					      (end.tv_nsec - begin.tv_nsec) / 1000000 >=
				      8 * 50);
	end_running(running);
}

/* ---- signals ---- */

static atomic_int gate;
static atomic_bool returned;
static atomic_int signalled, at_call;
static const struct timespec *timeout;
static long result;

static void note(int number, siginfo_t *info, void *context)
{
	const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	signalled++;
	at_call += (r[REG_RIP] == (greg_t)futex_behind && r[REG_RAX] == -EINTR) ||
		   (r[REG_RIP] == (greg_t)futex_call && r[REG_RAX] == SYS_futex);
}

static void *wait_at_gate(void *unused)
{
	result = futex(&gate, FUTEX_WAIT, 0, timeout, NULL, 0);
	returned = true;
	return unused;
}

/* Signals a waiting thread until the call returns, or the thread has seen many signals. */
static void interrupt(const char *name, int flags, const struct timespec *wait)
{
	enum { MANY = 20 };
	const struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO | flags };
	pthread_t running = begin_running(), waiter;

	timeout = wait;
	gate = signalled = at_call = 0;
	returned = false;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&waiter, NULL, wait_at_gate, NULL);
	while (!returned && at_call < MANY) {
		int seen = signalled;

		nanosleep(&moment, NULL);
		pthread_kill(waiter, SIGUSR1);
		while (!returned && signalled == seen)
			sched_yield();
	}
	gate = 1;
	futex(&gate, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	pthread_join(waiter, NULL);
	printf("%s: %s, at the call %d\n", name, name_of(result == -EAGAIN ? 0 : result),
	       at_call > 0);
	end_running(running);
}

static void signals(void)
{
	interrupt("interrupted", 0, NULL);
	interrupt("interrupted with timeout", 0, &very_long);
	interrupt("restarted", SA_RESTART, NULL);
	interrupt("restarted with timeout", SA_RESTART, &very_long);
}

/* ---- locks ---- */

enum { THREADS = 3, TIMES = 300 };

static pthread_mutex_t mutex;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static unsigned items;
static unsigned long counter;

static void make_mutex(int protocol, int robust)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, robust);
	pthread_mutex_init(&mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void together(void *(*function)(void *))
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, function, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void *count_up(void *unused)
{
	for (unsigned i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&mutex);
		counter++;
		if (i % 16 == 0)
			sched_yield();
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *take_items(void *unused)
{
	for (unsigned i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&mutex);
		while (!items)
			pthread_cond_wait(&filled, &mutex);
		counter += items--;
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *give_items(void *unused)
{
	for (unsigned i = 0; i < THREADS * TIMES; i++) {
		pthread_mutex_lock(&mutex);
		while (items)
			pthread_cond_wait(&emptied, &mutex);
		items++;
		pthread_cond_broadcast(&filled);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *die_with_lock(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

static void locks(void)
{
	pthread_t thread;
	int status;

	make_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	together(count_up);
	printf("mutex %lu\n", counter);
	counter = 0;
	pthread_create(&thread, NULL, give_items, NULL);
	together(take_items);
	pthread_join(thread, NULL);
	printf("conditions %lu\n", counter);
	counter = 0;
	make_mutex(PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
	together(count_up);
	printf("priority inheritance %lu\n", counter);
	make_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
	pthread_create(&thread, NULL, die_with_lock, NULL);
	status = pthread_mutex_lock(&mutex);
	if (!status) { /* before the other thread */
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, NULL);
		status = pthread_mutex_lock(&mutex);
	} else {
		pthread_join(thread, NULL);
	}
	printf("robust %s\n", strerrorname_np(status));
}

/* ---- requeuing ---- */

static atomic_int first, second, woken;

static void *wait_in_queue(void *unused)
{
	while (futex(&first, FUTEX_WAIT, 0, NULL, NULL, 0) == -EINTR)
		;
	woken++;
	return unused;
}

/* Moves all waiters to another futex, and wakes them there. */
static void requeue(void)
{
	pthread_t running = begin_running(), threads[THREADS];
	long moved = 0, n = 0;

	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, wait_in_queue, NULL);
	while (moved < THREADS) {
		long more = futex(&first, FUTEX_CMP_REQUEUE, 0, (const void *)INT_MAX, &second, 0);

		moved += more;
		nanosleep(&moment, NULL);
	}
	printf("moved %ld, woken %d\n", moved, woken);
	while (n < THREADS)
		n += futex(&second, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("woken %ld, %d\n", n, woken);
	end_running(running);
}

/* ---- cancellation ---- */

static int ends[2];
static sem_t semaphore;

static void unlock(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&mutex);
}

static void *cancelled_at_condition(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		pthread_cond_wait(&filled, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

static void *cancelled_in_read(void *unused)
{
	char byte;

	return read(ends[0], &byte, 1) < 0 ? unused : &ends;
}

static void *cancelled_at_semaphore(void *unused)
{
	sem_wait(&semaphore);
	return unused;
}

static void *cancelled_in_sleep(void *unused)
{
	nanosleep(&very_long, NULL);
	return unused;
}

static void cancel(const char *name, void *(*function)(void *))
{
	pthread_t running = begin_running(), thread;
	void *status = NULL;

	pthread_create(&thread, NULL, function, NULL);
	nanosleep(&brief, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &status);
	printf("cancelled %s %d\n", name, status == PTHREAD_CANCELED);
	end_running(running);
}

static void cancellation(void)
{
	make_mutex(PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	sem_init(&semaphore, 0, 0);
	if (pipe(ends) < 0)
		return;
	cancel("at a condition", cancelled_at_condition);
	cancel("in read", cancelled_in_read);
	cancel("at a semaphore", cancelled_at_semaphore);
	cancel("in a sleep", cancelled_in_sleep);
}

/* ---- threads that wait for each other, and execute the same instructions each time ---- */

static int there[2], back[2];

static void *return_bytes(void *unused)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	return unused;
}

static void *send_bytes(void *unused)
{
	enum { BYTES = 1000 };
	char byte = 0;

	for (unsigned i = 0; i < BYTES; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			break;
	close(there[1]);
	return unused;
}

static void pipes(void)
{
	pthread_t running, threads[2];

	if (pipe(there) < 0 || pipe(back) < 0)
		return;
	pthread_create(&threads[0], NULL, return_bytes, NULL);
	pthread_create(&threads[1], NULL, send_bytes, NULL);
	running = begin_running();
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	end_running(running);
	printf("passed\n");
}

/* ---- the end of the process while threads wait ---- */

static void *wait_for_ever(void *unused)
{
	pause();
	return unused;
}

static void leave(void)
{
	pthread_t running = begin_running(), threads[2];

	(void)running;
	pthread_create(&threads[0], NULL, wait_at_gate, NULL);
	pthread_create(&threads[1], NULL, wait_for_ever, NULL);
	nanosleep(&brief, NULL);
	printf("ends\n");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = { { "timeouts", timeouts }, { "signals", signals }, { "locks", locks },
		      { "requeue", requeue },   { "cancellation", cancellation },
		      { "pipes", pipes }, { "leave", leave } };

	for (unsigned i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			modes[i].run();
	return 0;
}
