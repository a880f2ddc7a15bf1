/* SPDX-License-Identifier: MIT */
/* Two functions that call each other; with LIBRARY and PROGRAM they are in a library, and do so through
 * its procedure linkage table. The marks say which lines trace-slo has to name. */
#include <stdio.h>

enum { SIZE = 8192 };

long even(int depth, const long *data);
long odd(int depth, const long *data);

#ifndef PROGRAM
long even(int depth, const long *data)
{
	long total = 0;

	for (int i = 0; i < SIZE; i++)				/* even_loop */
		total += data[i];
	return depth ? total + odd(depth - 1, data) : total;	/* even_call */
}

long odd(int depth, const long *data)
{
	long total = 0;

	for (int i = 0; i < SIZE; i++)				/* odd_loop */
		total += 3 * data[i];
	return depth ? total + even(depth - 1, data) : total;	/* odd_call */
}
#endif

#ifndef LIBRARY
int main(void)
{
	static long data[SIZE];

	printf("%ld\n", even(21, data));
	return 0;
}
#endif
