/* SPDX-License-Identifier: MIT */
/*
 * Sends itself signals with codes that the kernel gives to faults, while the signals are blocked,
 * ignored or caught. New code and many stores come between the sending and the reading.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int numbers[] = { SIGTRAP, SIGSEGV, SIGBUS };
static const int codes[] = { 1, 2, 0x80 };
static volatile unsigned words[1 << 11], sum;
static volatile sig_atomic_t caught;

static void send(int number, int code, bool to_thread)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = code;
	info.si_value.sival_int = 10 * number + code;
	if (to_thread)
		syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, &info);
	else
		syscall(SYS_rt_sigqueueinfo, getpid(), number, &info);
}

__attribute__((noinline)) static void work(void)
{
	for (unsigned i = 0; i < 1 << 11; i++)
		words[i] = i * i;
	sum += words[9];
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	(void)number;
	caught += info->si_code;
}

static void print_pending(const sigset_t *mask)
{
	const struct timespec none = { 0 };
	siginfo_t info;

	while (sigtimedwait(mask, &info, &none) > 0)
		printf("signal %d, code %d, value %d\n", info.si_signo, info.si_code, info.si_value.sival_int);
}

int main(void)
{
	struct sigaction catch = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	sigset_t mask;
	int status;

	sigemptyset(&mask);
	for (unsigned i = 0; i < 3; i++)
		sigaddset(&mask, numbers[i]);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < 3; i++) {
			send(numbers[i], codes[k], k & 1);
		}
		work();
		print_pending(&mask);
	}
	for (unsigned i = 0; i < 3; i++)
		send(numbers[i], 1, true);
	work();
	for (unsigned i = 0; i < 3; i++)
		sigaction(numbers[i], &catch, NULL);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	printf("caught %d\n", caught);
	for (unsigned i = 0; i < 3; i++) {
		signal(numbers[i], SIG_IGN);
		send(numbers[i], 1, true);
	}
	work();
	puts("ignored");
	fflush(stdout);
	/* An instruction still ends the program, although such a signal was sent before. */
	for (unsigned i = 0; i < 2; i++) {
		if (!fork()) {
			sigprocmask(SIG_BLOCK, &mask, NULL);
			send(numbers[i], 0x80, true);
			if (!i)
				__asm__ volatile("int3");
			else
				*(volatile int *)8 = 1;
			_exit(7);
		}
		wait(&status);
		printf("ended by %d\n", WTERMSIG(status));
	}
	return 0;
}
