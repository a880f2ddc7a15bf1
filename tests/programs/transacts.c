/* SPDX-License-Identifier: MIT */
/*
 * Begins transactions, whatever cpuid reports of them. Prints whether cpuid reports any, and how many
 * have been committed and aborted; "illegal" where the processor has none.
 */
#include <cpuid.h>
#include <immintrin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile long sum;

static void on_illegal(int signal)
{
	(void)signal;
	printf("illegal\n");
	fflush(stdout);
	_Exit(0);
}

__attribute__((target("rtm"))) static void transact(void)
{
	unsigned committed = 0, aborted = 0, last = 0;

	for (int i = 0; i < 300; i++) {
		unsigned status = _xbegin();

		if (status == _XBEGIN_STARTED) {
			sum++;
			if (i % 10 == 9)
				_xabort(7);
			_xend();
			committed++;
		} else {
			aborted++;
			last = status;
			sum++;
		}
	}
	printf("sum %ld committed %u aborted %u last %#x\n", sum, committed, aborted, last);
}

int main(void)
{
	unsigned a, b = 0, c, d = 0;

	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	printf("told %#x %#x\n", b & (1u << 4 | 1u << 11), d & (1u << 11 | 1u << 13));
	fflush(stdout);
	signal(SIGILL, on_illegal);
	transact();
	return 0;
}
