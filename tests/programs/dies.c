/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * dies HOW [NUMBER]: prints a line, then ends in the given way. HOW: null (writes
 * to address 8), jump (to address 16), abort, divide, illegal, trap, overflow (of the stack),
 * kill (by signal NUMBER), exit (with status NUMBER), closed (writes to a closed pipe).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int one = 1, zero;

static int overflow(volatile char *above)
{
	volatile char here[4096];

	here[0] = above[0];
	return overflow(here) + here[0];
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "exit";
	int number = argc > 2 ? atoi(argv[2]) : 0;
	int ends[2];

	puts("so far");
	fflush(stdout);
	if (!strcmp(how, "null")) {
		*(volatile int *)8 = 1;
	} else if (!strcmp(how, "jump")) {
		((void (*)(void))16)();
	} else if (!strcmp(how, "abort")) {
		abort();
	} else if (!strcmp(how, "divide")) {
		return one / zero;
	} else if (!strcmp(how, "illegal")) {
		__asm__ volatile("ud2");
	} else if (!strcmp(how, "trap")) {
		__asm__ volatile("int3");
	} else if (!strcmp(how, "overflow")) {
		return overflow("");
	} else if (!strcmp(how, "kill")) {
		kill(getpid(), number);
	} else if (!strcmp(how, "closed")) {
		if (pipe(ends))
			return 1;
		close(ends[0]);
		return write(ends[1], "", 1) != 1;
	}
	return number;
}
