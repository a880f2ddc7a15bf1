// SPDX-License-Identifier: MIT
/*
 * Calls that are not nested: longjmp over calls, coroutines on a stack in the program's data and on one that is larger
 * and elsewhere, and callbacks of qsort. The coroutine's calls are still running when the main stack's calls return.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

enum { ROUNDS = 12, LARGE = 9 << 20 };

static jmp_buf place;
static ucontext_t main_context, other;
static int turns;
static volatile int sink;

static __attribute__((noinline)) void deeper(int n)
{
	volatile char room[100];

	room[n % 100] = 1;
	if (n)
		deeper(n - 1);
	else if (turns % 3)
		longjmp(place, 1);
	sink += room[5];
}

static __attribute__((noinline)) void work(int n)
{
	if (!setjmp(place))
		deeper(n);
	sink++;
}

static void coroutine(void)
{
	for (;;) {
		work(turns % 17);
		swapcontext(&other, &main_context);
	}
}

static __attribute__((noinline)) void recurse(int n)
{
	work(n % 7);
	turns++;
	swapcontext(&main_context, &other);
	if (n)
		recurse(n - 1);
	work(n % 5);
}

static int compare(const void *a, const void *b)
{
	work(3);
	return *(const int *)a - *(const int *)b;
}

static void run_on(void *stack, size_t size)
{
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = size;
	makecontext(&other, coroutine, 0);
	for (int i = 0; i < ROUNDS; i++)
		recurse(i);
}

int main(void)
{
	static char small[1 << 16];
	int numbers[30];

	run_on(small, sizeof(small));
	for (int i = 0; i < 30; i++)
		numbers[i] = i * 37 % 31;
	qsort(numbers, 30, sizeof(*numbers), compare);
	run_on(malloc(LARGE), LARGE);
	return 0;
}
