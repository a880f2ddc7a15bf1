/* SPDX-License-Identifier: MIT */
/*
 * Two threads take a lock in turns and wait for it by spinning: spins inside|outside pause|busy
 * Each round works, inside or outside of the lock. Both do the same amount of work.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 100, WORK = 20000, SPUN = 20000000 };

static atomic_int held;
static _Bool inside, busy;
static volatile unsigned long counter;

static void take(void)
{
	while (atomic_exchange(&held, 1)) {
		if (busy)
			while (atomic_load(&held))
				;
		else
			while (atomic_load(&held))
				__builtin_ia32_pause();
	}
}

static void work(void)
{
	for (unsigned long i = 0; i < WORK; i++)
		__asm__ volatile("" : "+r"(i));
}

static void *run(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!inside)
			work();
		take();
		if (inside)
			work();
		counter++;
		atomic_store(&held, 0);
	}
	return unused;
}

/* Sleeps until the thread has run for long enough to wait for the lock: in few instructions, however long that takes. */
static void let_spin(pthread_t thread)
{
	struct timespec ran = { 0 };
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock))
		return;
	for (useconds_t us = 1000; !ran.tv_sec && ran.tv_nsec < SPUN; us *= 2) {
		usleep(us);
		clock_gettime(clock, &ran);
	}
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc != 3)
		return 2;
	inside = strcmp(argv[1], "inside") == 0;
	busy = strcmp(argv[2], "busy") == 0;
	take();
	if (pthread_create(&other, NULL, run, NULL))
		return 1;
	let_spin(other);
	atomic_store(&held, 0);
	run(NULL);
	pthread_join(other, NULL);
	return counter != 2 * ROUNDS;
}
