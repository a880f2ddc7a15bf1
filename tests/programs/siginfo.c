/* SPDX-License-Identifier: MIT */
/* Prints the siginfo that handlers get, while SIGSEGV and SIGTRAP are blocked and caught: of a timer,
 * which interrupts a loop, and, after a number of further rounds, of a division by zero. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t n_timers;
static volatile int numbers[64], zero;

static void never(int signal)
{
	_exit(signal);
}

static void on_timer(int signal, siginfo_t *info, void *context)
{
	char line[64];

	(void)context;
	snprintf(line, sizeof(line), "signal %d code %d value %d\n", signal, info->si_code,
		 info->si_value.sival_int);
	if (write(1, line, strlen(line)) > 0)
		n_timers++;
}

static void on_division(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	printf("signal %d code %d at %s\n", signal, info->si_code,
	       (long long)info->si_addr == c->uc_mcontext.gregs[REG_RIP] ? "rip" : "elsewhere");
	fflush(stdout);
	_exit(0);
}

static void catch(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
}

int main(int argc, char **argv)
{
	const struct itimerspec once = { .it_value = { .tv_nsec = 30000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
				  .sigev_value = { .sival_int = 77 } };
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	sigset_t blocked;
	timer_t timer;

	catch(SIGUSR1, on_timer);
	catch(SIGFPE, on_division);
	signal(SIGSEGV, never);
	signal(SIGTRAP, never);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGSEGV);
	sigaddset(&blocked, SIGTRAP);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &once, NULL);
	for (long i = 0; !n_timers || rounds-- > 0; i++)
		numbers[i * 7 & 63] += (int)i;
	return numbers[3] / zero;
}
