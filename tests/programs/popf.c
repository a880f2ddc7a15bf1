/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* A thread saves and loads its flags all the time, while signals come and others map code. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>

enum { TURNS = 4000, MAPPINGS = 40 };

static volatile bool done;
static volatile int handled;

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

static void *load_flags(void *argument)
{
	for (int i = 0; i < TURNS; i++)
		__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::: "memory");
	done = true;
	return argument;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, on_signal);
	pthread_create(&thread, NULL, load_flags, NULL);
	/* Signals faster than their handlers would let the thread do nothing else. */
	for (int i = 0; !done; i++) {
		while (handled < i && !done)
			sched_yield();
		pthread_kill(thread, SIGUSR1);
		if (i < MAPPINGS) {
			void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			munmap(code, 4096);
		}
	}
	pthread_join(thread, NULL);
	printf("flags loaded %d times\n", TURNS);
	return 0;
}
