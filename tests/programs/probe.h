/* SPDX-License-Identifier: MIT */
/* For programs that print the kernel's answers: one line a probe. */
#ifndef PROBE_H
#define PROBE_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prints a line at once, so that processes keep their order. */
static inline __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* Returns the result of a system call, or its error as a negative number. */
static inline long result(long value)
{
	return value < 0 ? -errno : value;
}

/* Returns 1 for a result that differs each time, an address or descriptor; or the error likewise. */
static inline long outcome(long value)
{
	return value < 0 && value > -4096 ? -errno : 1;
}

/* Runs a probe in a process of its own, which it may spoil. */
static inline void apart(const char *name, void (*probe)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		probe();
		_exit(0);
	}
	waitpid(child, &status, 0);
	say("%s: status %#x", name, (unsigned)status);
}

struct probe {
	const char *name;
	void (*run)(void);
};

/* Runs the probes with the given names. Returns an exit status. */
static inline int run_probes(const struct probe *probes, unsigned count, char **names)
{
	for (; *names; names++) {
		unsigned i = 0;

		while (i < count && strcmp(probes[i].name, *names))
			i++;
		if (i == count)
			return 2;
		probes[i].run();
	}
	return 0;
}

#endif
