/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * The first process of a pid namespace faults in each way, alone or beside a thread that computes; the
 * parent prints which signal has ended it. Status 77: the system allows no namespaces.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_null(void) { *(volatile int *)8; }
static void undefined(void) { __asm__ volatile("ud2"); }
static void breakpoint(void) { __asm__ volatile("int3"); }
static void divide(void) { __asm__ volatile("divl %0" : : "r"(0), "a"(1), "d"(0)); }
static void jump_away(void) { ((void (*)(void))8)(); }
static void past_the_end(void)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, memfd_create("empty", 0), 0);

	*(volatile char *)page;
}
/* Checks that signals sent to such a process do not end it. */
static void sent(void)
{
	kill(getpid(), SIGSEGV);
	kill(getpid(), SIGTERM);
	_exit(5);
}

static void *compute(void *unused)
{
	for (volatile unsigned long i = 0;; i++)
		;
	return unused;
}

static void run(void (*fault)(void), int with_thread)
{
	pid_t child = fork();
	pthread_t thread;
	int status;

	if (!child) {
		if (with_thread)
			pthread_create(&thread, NULL, compute, NULL);
		fault();
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("%d %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 0);
}

int main(void)
{
	static void (*const faults[])(void) = { read_null, undefined, breakpoint, divide, jump_away,
						past_the_end, sent };

	setvbuf(stdout, NULL, _IONBF, 0);
	for (unsigned i = 0; i < 2 * sizeof(faults) / sizeof(*faults); i++) {
		pid_t maker = fork();
		int status;

		if (!maker) {
			if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
				_exit(77);
			run(faults[i / 2], i % 2);
			_exit(0);
		}
		waitpid(maker, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			return 77;
	}
	return 0;
}
