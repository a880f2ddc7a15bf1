/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * brood N: twice, N children that live at the same time. Child i works i units, and so does its own
 * child.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 2, UNIT = 20 };

static void work(int units)
{
	for (volatile int i = 0; i < units * UNIT; i++)
		;
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

static void be_child(int i, const int gate[2])
{
	char none;

	close(gate[1]);
	if (read(gate[0], &none, 1) != 0) /* until all of the round are there */
		_exit(1);
	work(i);
	if (fork() == 0) {
		work(i);
		_exit(0);
	}
	wait_for_all();
	_exit(0);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 6;

	for (int round = 0; round < ROUNDS; round++) {
		int gate[2];

		if (pipe(gate) < 0)
			return 1;
		for (int i = 0; i < n; i++)
			if (fork() == 0)
				be_child(i, gate);
		close(gate[0]);
		close(gate[1]);
		wait_for_all();
	}
	return 0;
}
