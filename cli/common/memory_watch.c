/* SPDX-License-Identifier: MIT */
#include "cli/common/memory_watch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/common/command.h"

static uint64_t input_bytes;
static bool watching;
static atomic_bool reported;

/*
 * Returns the peak resident memory in bytes, or 0 if it is not known. getrusage may report the peak
 * of the process that started the command.
 */
static uint64_t peak(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long kib = 0;
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return (uint64_t)kib << 10;
}

void memory_watch(void)
{
	uint64_t taken;

	if (!watching || atomic_load(&reported))
		return;
	taken = peak();
	if (taken > MEMORY_SPARE && (taken - MEMORY_SPARE) / MEMORY_FACTOR > input_bytes &&
	    !atomic_exchange(&reported, true))
		command_note(
			"this command takes more memory than 256 MiB and 100 times the size of its input: %llu MiB",
			(unsigned long long)(taken >> 20));
}

void memory_watch_input(const char *path)
{
	struct stat st;

	if (path && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		input_bytes += (uint64_t)st.st_size;
#ifndef __SANITIZE_ADDRESS__ /* its shadow memory would count */
	if (!watching)
		watching = atexit(memory_watch) == 0;
#endif
}
