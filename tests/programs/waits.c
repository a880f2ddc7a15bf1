/* SPDX-License-Identifier: MIT */
/* waits: does a little work, says so, and waits for ever. waits -: works for ever. */
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long turns;

int main(int argc, char **argv)
{
	(void)argv;
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
