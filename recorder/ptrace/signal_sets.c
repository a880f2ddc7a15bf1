/* SPDX-License-Identifier: MIT */
#include "recorder/ptrace/signal_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t signal_set(const struct task *t, const char *set)
{
	char path[64], line[256];
	size_t length = strlen(set);
	uint64_t signals = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)t->tid, (int)t->tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, set, length) == 0 && line[length] == ':')
			signals = strtoull(line + length + 1, NULL, 16);
	fclose(file);
	return signals;
}

bool signals_raised(const struct task *t)
{
	const uint64_t raised = signal_bit(SIGTRAP) | signal_bit(SIGSEGV) | signal_bit(SIGBUS) |
				signal_bit(SIGILL) | signal_bit(SIGFPE);

	return raised & signal_set(t, "SigPnd") & ~signal_set(t, "SigBlk");
}

/* Returns the signals that the program does not catch and that neither end nor stop it. */
static uint64_t ignored(const struct task *t)
{
	const uint64_t by_default = signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) |
				    signal_bit(SIGWINCH);

	return signal_set(t, "SigIgn") | (by_default & ~signal_set(t, "SigCgt"));
}

bool signals_ignored(const struct task *t, int signal)
{
	return ignored(t) & signal_bit(signal);
}

bool signals_wait(const struct task *t)
{
	uint64_t pending = signal_set(t, "SigPnd") | signal_set(t, "ShdPnd");

	return pending & ~signal_set(t, "SigBlk") & ~ignored(t);
}
