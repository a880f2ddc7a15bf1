/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Sends itself signals with the codes of those that the kernel raises for instructions. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int n_handled;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	char line[96];

	(void)context;
	snprintf(line, sizeof(line), "signal %d code %d value %d\n", signal, info->si_code,
		 info->si_value.sival_int);
	if (write(1, line, strlen(line)) > 0)
		n_handled++;
}

static void feign(int signal, int code, int value)
{
	siginfo_t info = { .si_signo = signal, .si_code = code };
	volatile unsigned sum = 1;

	info.si_value.sival_int = value;
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), signal, &info) != 0)
		printf("signal %d code %d refused\n", signal, code);
	for (unsigned i = 0; i < 20; i++)
		sum = sum * 3 + i;
}

int main(void)
{
	static const int numbers[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	static const int codes[] = { 1, 2, 3, 4, 6, SI_KERNEL };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	setvbuf(stdout, NULL, _IONBF, 0);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		for (unsigned k = 0; k < sizeof(codes) / sizeof(*codes); k++)
			feign(numbers[i], codes[k], (int)(100 * i + k));
	printf("%d handled\n", n_handled);
	return 0;
}
