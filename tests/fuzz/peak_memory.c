/* SPDX-License-Identifier: MIT */
/*
 * Runs a command and compares its peak of memory with the sizes of the files that it reads:
 *	peak_memory [-v] FILE... -- COMMAND...
 * Exits with 99 if the peak (resident, as reported by the kernel) is above 256 MiB plus 100 times
 * the sum of the files' sizes, with 98 if a signal ended the command, and otherwise with the
 * command's status. -v: prints the peak.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OVER_EXIT = 99, SIGNAL_EXIT = 98, SPARE_KIB = 256 << 10, FACTOR = 100 };

/* Returns the sum of the sizes of the files up to "--", in bytes. Leaves *i behind the "--". */
static long sum_sizes(char **argv, int *i)
{
	struct stat st;
	long sum = 0;

	for (; argv[*i] && strcmp(argv[*i], "--"); ++*i)
		if (stat(argv[*i], &st) == 0)
			sum += (long)st.st_size;
	*i += argv[*i] != NULL;
	return sum;
}

int main(int argc, char **argv)
{
	bool tell = argc > 1 && !strcmp(argv[1], "-v");
	int i = 1 + tell, status;
	long limit = SPARE_KIB + FACTOR * (sum_sizes(argv, &i) / 1024);
	struct rusage usage;
	pid_t pid;

	if (i >= argc)
		return fprintf(stderr, "usage: peak_memory [-v] FILE... -- COMMAND...\n"), 2;
	pid = fork();
	if (pid == 0) {
		execvp(argv[i], argv + i);
		perror(argv[i]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return perror("peak_memory"), 2;
	if (tell || usage.ru_maxrss > limit)
		fprintf(stderr, "peak_memory: %ld KiB, limit %ld KiB: %s\n", usage.ru_maxrss, limit,
			argv[i]);
	if (usage.ru_maxrss > limit)
		return OVER_EXIT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL_EXIT;
}
