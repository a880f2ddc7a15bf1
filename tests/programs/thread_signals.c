/* SPDX-License-Identifier: MIT */
/* Three threads send themselves signals until SIGTERM comes; prints how many of these were lost. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 3 };

static volatile sig_atomic_t over;
static _Thread_local volatile sig_atomic_t handled;
static atomic_int lost;

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

static void on_end(int signal)
{
	over = signal;
}

/* A signal that a thread sends to itself is handled before the call returns. */
static void *run(void *unused)
{
	(void)unused;
	for (int sent = 1; !over; sent++) {
		pthread_kill(pthread_self(), SIGUSR1);
		lost += handled != sent;
		handled = sent;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	signal(SIGUSR1, on_signal);
	signal(SIGTERM, on_end);
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d lost\n", lost);
	return 0;
}
