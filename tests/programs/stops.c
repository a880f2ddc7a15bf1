/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * A child stops itself, its parent sees that, sends it on, sees that too, and its end. Another child is stopped
 * before it has executed anything, where tasks run one at a time.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void continued(int number)
{
	(void)number;
	(void)!write(1, "child: continued\n", 17);
}

static void stop_at_once(void)
{
	int status;
	pid_t pid = fork();

	alarm(200); /* for ever, if the stop is lost */
	while (!pid)
		pause();
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	printf("parent: stopped %d\n", WIFSTOPPED(status) ? WSTOPSIG(status) : -status);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	printf("parent: killed %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : -status);
}

int main(void)
{
	int status, ends[2];
	char letter = 0;
	pid_t pid;

	if (pipe(ends))
		return 1;
	pid = fork();

	if (!pid) {
		signal(SIGCONT, continued);
		raise(SIGSTOP);
		_exit(read(ends[0], &letter, 1) == 1 ? 5 : 6);
	}
	waitpid(pid, &status, WUNTRACED);
	printf("parent: stopped %d\n", WIFSTOPPED(status) ? WSTOPSIG(status) : -status);
	fflush(stdout);
	kill(pid, SIGCONT);
	waitpid(pid, &status, WCONTINUED);
	printf("parent: continued %d\n", WIFCONTINUED(status));
	if (write(ends[1], &letter, 1) != 1)
		return 1;
	waitpid(pid, &status, 0);
	printf("parent: exited %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -status);
	stop_at_once();
	return 0;
}
