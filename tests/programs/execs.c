/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* execs N STATUS: becomes itself again N times, from a second thread the last time, then exits. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char **next;

static void *become(void *unused)
{
	execv(next[0], next);
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, status = argc > 2 ? atoi(argv[2]) : 0;
	char rest[16];
	pthread_t thread;

	printf("%d\n", n);
	fflush(stdout);
	if (!n)
		return status;
	snprintf(rest, sizeof(rest), "%d", n - 1);
	argv[1] = rest;
	next = argv;
	if (n > 1)
		become(NULL);
	pthread_create(&thread, NULL, become, NULL);
	pthread_join(thread, NULL);
	return 1;
}
