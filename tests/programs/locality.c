/* SPDX-License-Identifier: MIT */
/* Programs whose reuses are kept apart in known ways: locality matrix|interchanged|sweeps|calls|
 * rounds|jumps|handlers|threads|recursion|links. The marks are at the lines that trace-slo has to name. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 72, SIZE = 32768 };	/* 8 bytes each: 4096 blocks of 64 bytes */

double a[N * N], b[N * N], c[N * N];	/* the compiler does not know that they are 0 */
static long data[SIZE], other[SIZE];

#define APART __attribute__((noinline, noclone, noipa))

APART static void matrix(void)
{
	for (int i = 0; i < N; i++)				/* matrix_i */
		for (int j = 0; j < N; j++) {			/* matrix_j */
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i * N + k] * b[k * N + j];	/* matrix_access */
			c[i * N + j] = sum;
		}
}

APART static void interchanged(void)
{
	for (int i = 0; i < N; i++)				/* interchanged_i */
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i * N + j] += a[i * N + k] * b[k * N + j];
}

APART static void sweeps(void)
{
	for (int i = 0; i < SIZE; i++)				/* sweep_1 */
		data[i] = i;					/* sweep_use */
	for (int i = 0; i < SIZE; i++)				/* sweep_2 */
		data[i] += 3 * i;				/* sweep_reuse */
}

APART static void fill(long *to)
{
	for (int i = 0; i < SIZE; i++)
		to[i] = i;
}

APART static long sum(const long *of)
{
	long total = 0;

	for (int i = 0; i < SIZE; i++)				/* sum_loop */
		total += of[i];
	return total;
}

APART static long calls(void)
{
	fill(data);						/* call_1 */
	return sum(data);					/* call_2 */
}

APART static long rounds(void)
{
	long total = 0;

	for (int i = 0; i < 10; i++) {				/* rounds */
		total += sum(data);
		total += sum(other);
	}
	return total;
}

static jmp_buf back;

APART static void jump_out(int depth)
{
	volatile char space[100] = { 1 };

	if (depth == 0)
		longjmp(back, 1);
	jump_out(depth - 1);
	space[1] = 2;
}

APART static long jumps(void)
{
	volatile long total = 0;

	for (volatile int i = 0; i < 10; i++) {			/* jumps */
		if (!setjmp(back))
			jump_out(20);
		total += sum(data);
	}
	return total;
}

static sigjmp_buf out;
static volatile int handled;

static void handle(int number)
{
	if (number == SIGUSR2)
		siglongjmp(out, 1);
	handled++;
}

APART static long handlers(void)
{
	volatile long total = 0;

	signal(SIGUSR1, handle);
	signal(SIGUSR2, handle);
	for (volatile int i = 0; i < 10; i++) {			/* handlers */
		raise(SIGUSR1);
		if (!sigsetjmp(out, 1))
			raise(SIGUSR2);
		total += sum(data);
	}
	return total + handled;
}

struct link {
	struct link *next;
	long space[7];
};

APART static long length(const struct link *list)
{
	long n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

static struct link *list;

static void *walk(void *unused)
{
	(void)unused;
	for (volatile int i = 0; i < 5; i++)			/* walk */
		length(list);
	return NULL;
}

static void links(void)
{
	pthread_t thread;

	for (int i = 0; i < 5000; i++) {
		struct link *link = malloc(sizeof(*link));	/* link_allocated */

		link->next = list;
		list = link;
	}
	pthread_create(&thread, NULL, walk, NULL);
	pthread_join(thread, NULL);
}

/* Calls of this function are nested in 2^21 ways. */
APART static long paths(int depth)
{
	return depth ? paths(depth - 1) + paths(depth - 1) + 1 : 1;
}

APART static long recursion(void)
{
	long total = paths(20);

	for (int i = 0; i < 10; i++)				/* recursion */
		total += sum(data);
	return total;
}

static void *in_thread(void *unused)
{
	(void)unused;
	return (void *)rounds();
}

static void threads(void)
{
	pthread_t ids[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, in_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "matrix", matrix }, { "interchanged", interchanged }, { "sweeps", sweeps },
		{ "calls", (void (*)(void))calls }, { "rounds", (void (*)(void))rounds },
		{ "jumps", (void (*)(void))jumps }, { "handlers", (void (*)(void))handlers },
		{ "threads", threads }, { "links", links },
		{ "recursion", (void (*)(void))recursion },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].run();
	printf("%.0f %ld\n", c[N], data[SIZE - 1]);
	return 0;
}
