/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* forks N: N children, one at a time; child i exits with i, the last dies of SIGKILL. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;

	for (int i = 1; i <= n; i++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			if (i == n)
				kill(getpid(), SIGKILL);
			_exit(i);
		}
		waitpid(pid, &status, 0);
		printf("%d %s %d\n", i, WIFEXITED(status) ? "exit" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	}
	return 0;
}
