/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * waits: does a little work, says so, and waits. waits -: goes on working. It ends after five minutes,
 * whatever has become of who started it.
 */
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long turns;

int main(int argc, char **argv)
{
	(void)argv;
	alarm(300);
	for (int i = 0; i < 1000; i++)
		turns++;
	printf("%d\n", getpid());
	fflush(stdout);
	for (;;) {
		if (argc > 1)
			turns++;
		else
			pause();
	}
}
