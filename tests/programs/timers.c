/* SPDX-License-Identifier: MIT */
/*
 * A timer of 1 kHz interrupts a computation 100 times, anywhere; the handler computes as well. Then
 * another one interrupts a read. The output is the same in each run.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

enum { TICKS = 100, ROUNDS = 200000 };

static volatile sig_atomic_t ticks, most = TICKS;
static volatile uint64_t table[256], sum_of_ticks;

static void on_tick(int signal)
{
	const struct itimerval off = { { 0, 0 }, { 0, 0 } };

	(void)signal;
	if (ticks >= most)	/* a signal came during the last handler */
		return;
	sum_of_ticks = sum_of_ticks * 3 + 1;
	if (++ticks == TICKS)
		setitimer(ITIMER_REAL, &off, NULL);
}

static uint64_t compute(uint64_t x)
{
	for (int i = 0; i < ROUNDS; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		table[x >> 56] += x >> 32 & 1 ? table[x >> 40 & 255] : x;
	}
	return x;
}

static void set(int flags)
{
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = flags };

	sigaction(SIGALRM, &action, NULL);
}

int main(void)
{
	/* Repeated, as the first of them may come before the read begins, which then only the next one ends. */
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, soon = { { 0, 50000 }, { 0, 50000 } };
	uint64_t x = 1, sum = 0;
	char byte = 0;
	int ends[2];

	set(SA_RESTART);
	setitimer(ITIMER_REAL, &often, NULL);
	x = compute(x);
	while (ticks < TICKS)
		;
	for (int i = 0; i < 256; i++)
		sum = sum * 31 + table[i];
	printf("%d ticks: %llx %llx %llx\n", (int)ticks, (unsigned long long)x,
	       (unsigned long long)sum, (unsigned long long)sum_of_ticks);
	if (pipe(ends))
		return 1;
	most = TICKS + 1;
	set(0);
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("read %zd", read(ends[0], &byte, 1));
	printf(", interrupted %d, ticks %d\n", errno == EINTR, (int)ticks);
	return 0;
}
