/* SPDX-License-Identifier: MIT */
/* gated N TURNS: N threads add numbers, each its own share. They wait for each other in read() only,
 * so that each executes the same instructions whatever the turns. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long sums[64];
static unsigned turns;
static int start[2], done[2], never[2];

static void *work(void *argument)
{
	unsigned long number = (unsigned long)argument, own = 0;
	char token;

	if (read(start[0], &token, 1) != 1)
		abort();
	for (unsigned i = 0; i < turns; i++)
		own += number * i;
	sums[number - 1] = own;
	if (write(done[1], &token, 1) != 1)
		abort();
	return (void *)read(never[0], &token, 1); /* until the process ends */
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? atoi(argv[1]) : 3;
	unsigned long sum = 0;
	pthread_t thread;
	char token = 0;

	turns = argc > 2 ? atoi(argv[2]) : 100;
	if (n > 64 || pipe(start) || pipe(done) || pipe(never))
		return 1;
	for (unsigned long i = 0; i < n; i++)
		pthread_create(&thread, NULL, work, (void *)(i + 1));
	for (unsigned i = 0; i < n; i++)
		if (write(start[1], &token, 1) != 1)
			return 1;
	for (unsigned i = 0; i < n; i++)
		if (read(done[0], &token, 1) != 1)
			return 1;
	for (unsigned i = 0; i < n; i++)
		sum += sums[i];
	printf("%lu\n", sum);
	return 0;
}
