/* SPDX-License-Identifier: MIT */
/* Computes while a timer sends a signal each half millisecond, SIGSEGV and SIGTRAP blocked and
 * caught, until SIGTERM comes; prints how many of the signals had other values than the timer's. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { VALUE = 77 };

static volatile sig_atomic_t over, wrong;
static volatile int numbers[64];

static void on_tick(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	wrong += info->si_code != SI_TIMER || info->si_value.sival_int != VALUE;
}

static void on_end(int signal)
{
	over = signal;
}

static void never(int signal)
{
	_exit(signal);
}

int main(void)
{
	const struct itimerspec period = { { 0, 500000 }, { 0, 500000 } };
	struct sigaction action = { .sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
				  .sigev_value = { .sival_int = VALUE } };
	sigset_t blocked;
	timer_t timer;

	sigaction(SIGUSR1, &action, NULL);
	signal(SIGTERM, on_end);
	signal(SIGSEGV, never);
	signal(SIGTRAP, never);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGSEGV);
	sigaddset(&blocked, SIGTRAP);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &period, NULL);
	puts("ready");
	fflush(stdout);
	for (int i = 0; !over; i = (i + 7) & 63)
		numbers[i]++;
	printf("%d wrong\n", (int)wrong);
	return 0;
}
