/* flags: -O2 -static */
/* SPDX-License-Identifier: MIT */
/*
 * Calls functions in all ways that matter to call paths: direct and indirect calls, tail calls,
 * recursion, longjmp over calls, a signal handler. Expected below main: leaf is called 10 + 1 + 1 +
 * 1 times, by main, tail_end, jumps and handler; fib(10) takes 177 calls, of which main makes one.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noipa))

static volatile int sum;
static jmp_buf place;

NOINLINE void leaf(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

NOINLINE int fib(int n)
{
	volatile int first, second; /* else gcc makes a loop of the second call */

	if (n < 2)
		return n;
	first = fib(n - 1);
	second = fib(n - 2);
	return first + second;
}

NOINLINE void tail_end(int n)
{
	leaf(n);
	sum++;
}

NOINLINE void tail_begin(int n)
{
	sum++;
	tail_end(n);
}

NOINLINE void dive(int n)
{
	if (!n)
		longjmp(place, 1);
	dive(n - 1);
	sum++;
}

NOINLINE void jumps(void)
{
	if (!setjmp(place))
		dive(5);
	sum++;
	leaf(10);
}

NOINLINE void handler(int number)
{
	leaf(number);
}

static void (*volatile by_pointer)(int) = tail_begin;

int main(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 10; i++)
		leaf(100);
	by_pointer(20);
	sum += fib(10);
	jumps();
	raise(SIGUSR1);
	return 0;
}
