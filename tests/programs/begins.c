/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * For --from=target: the function is reached in a forked child first, then, with a thread that
 * waits in a system call and one that computes, in the parent; between the two a vfork.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static volatile int go, waiting;

__attribute__((noipa)) void target(int who)
{
	printf("target %d\n", who);
	fflush(stdout);
}

static void *waits(void *argument)
{
	char byte;

	waiting = 1;
	printf("read %zd\n", read(ends[0], &byte, 1));
	fflush(stdout);
	return argument;
}

static void *computes(void *argument)
{
	while (!go)
		;
	return argument;
}

int main(void)
{
	pthread_t threads[2];
	int status;

	if (pipe(ends) < 0)
		return 1;
	if (fork() == 0) {
		target(1);
		_exit(3);
	}
	wait(&status);
	printf("child %d\n", WEXITSTATUS(status));
	fflush(stdout);
	if (vfork() == 0) {
		execl("/bin/false", "false", (char *)NULL);
		_exit(2);
	}
	wait(&status);
	printf("vfork %d\n", WEXITSTATUS(status));
	fflush(stdout);
	pthread_create(&threads[0], NULL, waits, NULL);
	pthread_create(&threads[1], NULL, computes, NULL);
	while (!waiting)
		usleep(1000);
	target(2);
	if (write(ends[1], "x", 1) != 1)
		return 1;
	pthread_join(threads[0], NULL);
	go = 1;
	pthread_join(threads[1], NULL);
	return 7;
}
