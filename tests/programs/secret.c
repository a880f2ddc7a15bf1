/* SPDX-License-Identifier: MIT */
/*
 * Keeps in memory that no other program can read (memfd_secret) what the kernel reads from the program: the action
 * of a signal, a signal stack, a file name and the arguments of a program that it executes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MEMFD_SECRET = 447, STACK_BYTES = 1 << 15, BYTES = 1 << 16 };

struct kernel_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static volatile sig_atomic_t handled;

static void on_signal(int signal)
{
	(void)signal;
	handled++;
}

static void act(struct kernel_action *secret)
{
	static const int numbers[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGUSR1 };
	struct kernel_action is;

	for (unsigned i = 0; i < 4; i++) {
		signal(numbers[i], on_signal);
		syscall(SYS_rt_sigaction, numbers[i], NULL, &is, sizeof(is.mask));
		signal(numbers[i], SIG_DFL);
		*secret = is;
		syscall(SYS_rt_sigaction, numbers[i], secret, NULL, sizeof(is.mask));
		raise(numbers[i]);
	}
	printf("%d handled\n", (int)handled);
}

int main(void)
{
	int fd = (int)syscall(MEMFD_SECRET, 0);
	char *secret = MAP_FAILED, **args;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = STACK_BYTES };

	if (fd >= 0 && ftruncate(fd, BYTES) == 0)
		secret = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (secret == MAP_FAILED) {
		puts("no secret memory");
		return 0;
	}
	act((struct kernel_action *)secret);
	stack.ss_sp = secret + STACK_BYTES;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	strcpy(secret + 64, "/proc/self/maps");
	printf("%d handled, opened %d\n", (int)handled, open(secret + 64, O_RDONLY) >= 0);
	fflush(stdout);
	args = (char **)(secret + 128);
	args[0] = strcpy(secret + 256, "/bin/echo");
	args[1] = strcpy(secret + 512, "executed");
	args[2] = NULL;
	return execv(args[0], args);
}
