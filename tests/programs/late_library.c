/* SPDX-License-Identifier: MIT */
/*
 * Sets a handler for SIGSEGV while another thread waits, loads libm, calls cbrt() in it, and faults.
 * The handler exits with status 7.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
	pause();
	return unused;
}

static void on_fault(int signal)
{
	(void)signal;
	_exit(7);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault };
	double (*root)(double);
	volatile int *null = NULL;
	pthread_t thread;
	void *library;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
		return EXIT_FAILURE;
	sigaction(SIGSEGV, &action, NULL);
	library = dlopen("libm.so.6", RTLD_NOW);
	root = library ? (double (*)(double))dlsym(library, "cbrt") : NULL;
	if (!root || root(27) < 2)
		return EXIT_FAILURE;
	getppid(); /* before a system call the recorder restores what it believes to be the action */
	*null = 0;
	return EXIT_FAILURE;
}
