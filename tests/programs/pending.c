/* SPDX-License-Identifier: MIT */
/*
 * Blocks signals, among them those that a recorder raises for itself, and reads them: each is there
 * at once, in the kernel's order, first those of the thread and then those of the process. Then
 * waits with blocked signals pending while a timer's signals arrive.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

static volatile unsigned sum;

/* Executes code for the first time, and stores much. */
__attribute__((noinline)) static void work(void)
{
	static volatile unsigned words[1 << 11];

	for (unsigned i = 0; i < 1 << 11; i++)
		words[i] = i;
	sum += words[9];
}

static void print_pending(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct signalfd_siginfo info;

	printf("%d ready\n", poll(&p, 1, 0));
	while (read(fd, &info, sizeof(info)) == sizeof(info))
		printf("signal %u, code %d, value %d\n", info.ssi_signo, info.ssi_code, info.ssi_int);
}

static volatile unsigned handled, waited;

static void on_timer(int signal)
{
	handled += signal == SIGALRM;
	waited += signal != SIGALRM;
}

/* Runs until a timer has interrupted it some times, with two signals of a number blocked. */
static void be_interrupted(int number)
{
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	union sigval value = { .sival_int = 7 };
	sigset_t mask;

	signal(SIGALRM, on_timer);
	signal(number, on_timer);
	sigemptyset(&mask);
	sigaddset(&mask, number);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	raise(number);
	raise(number);
	sigqueue(getpid(), number, value);
	handled = waited = 0;
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 5)
		work();
	setitimer(ITIMER_REAL, &never, NULL);
	printf("signal %d: %u arrived, ", number, waited);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	printf("%u unblocked\n", waited);
}

int main(void)
{
	static const int numbers[] = { SIGUSR1, SIGTRAP, SIGSEGV, SIGBUS };
	union sigval value = { .sival_int = 7 };
	sigset_t mask;
	int fd;

	sigemptyset(&mask);
	for (unsigned i = 0; i < 4; i++)
		sigaddset(&mask, numbers[i]);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	fd = signalfd(-1, &mask, SFD_NONBLOCK);
	for (unsigned round = 0; round < 3; round++) {
		sigqueue(getpid(), SIGUSR1, value);
		kill(getpid(), SIGTRAP);
		raise(SIGSEGV);
		kill(getpid(), SIGBUS);
		if (round)
			work();
		print_pending(fd);
	}
	for (unsigned i = 0; i < 4; i++)
		be_interrupted(numbers[i]);
	return 0;
}
