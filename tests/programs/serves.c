/* SPDX-License-Identifier: MIT */
/*
 * serves: prints its pid, and answers each line of standard input, as two threads add, with pauses, and
 * a third one waits in the kernel in ways that end with EINTR if anything disturbs them. It ends with the
 * input; its status shows the failures.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum, turns;
static volatile int over, disturbed;

static void *add(void *unused)
{
	const struct timespec pause = { 0, 2000000 };

	(void)unused;
	for (unsigned i = 1; !over; i++) {
		pthread_mutex_lock(&lock);
		sum += 3;
		turns++;
		pthread_mutex_unlock(&lock);
		if (i % 10000 == 0)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

static void *wait_for_nothing(void *unused)
{
	const struct timespec moment = { 0, 20000000 };
	struct epoll_event event;
	int nothing = epoll_create1(0);

	(void)unused;
	while (!over) {
		disturbed |= epoll_wait(nothing, &event, 1, 200) != 0;
		disturbed |= nanosleep(&moment, NULL) != 0;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	char line[256];

	alarm(1800);
	printf("%d\n", getpid());
	fflush(stdout);
	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, add, NULL);
	pthread_create(&threads[2], NULL, wait_for_nothing, NULL);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%s", line);
		fflush(stdout);
	}
	over = ferror(stdin) ? errno : 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return (sum != 3 * turns) + 2 * disturbed + 4 * !!ferror(stdin);
}
