/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* spawns PROGRAM: runs it by vfork, posix_spawn, system and popen, and prints how it ended. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void tell(const char *how, int status)
{
	printf("%s %d\n", how, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	fflush(stdout);
}

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	char *arguments[] = { argv[1], NULL };
	pid_t pid;

	if (argc != 2)
		return 2;
	pid = vfork();
	if (!pid) {
		execv(argv[1], arguments);
		_exit(127);
	}
	tell("vfork", wait_for(pid));
	if (posix_spawn(&pid, argv[1], NULL, NULL, arguments, environ))
		return 1;
	tell("posix_spawn", wait_for(pid));
	if (posix_spawn(&pid, "/nonexistent", NULL, NULL, arguments, environ))
		puts("posix_spawn fails");
	tell("system", system(argv[1]));
	tell("popen", pclose(popen(argv[1], "r")));
	return 0;
}
