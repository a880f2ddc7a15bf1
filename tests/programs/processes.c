/* flags: -static */
/* SPDX-License-Identifier: MIT */
/*
 * Processes: fork and wait, vfork and exec, posix_spawn, a pipe between parent and child, a child
 * that stops and is continued, a grandchild whose parent has gone, exec by a thread that is not
 * the first. Each prints one line, in this order.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int wait_for(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return status;
}

static void with_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(3);
	printf("fork: %d\n", WEXITSTATUS(wait_for(pid)));
}

static void with_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
		_exit(127);
	}
	printf("vfork: %d\n", WEXITSTATUS(wait_for(pid)));
}

static void with_spawn(void)
{
	char *argv[] = { "sh", "-c", "kill -TERM $$", NULL };
	pid_t pid;

	posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ);
	printf("spawn: signal %d\n", WTERMSIG(wait_for(pid)));
}

static void with_pipe(void)
{
	char text[16] = "";
	int fds[2];
	pid_t pid;

	if (pipe(fds) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		usleep(1000);
		_exit(write(fds[1], "hello", 5) != 5);
	}
	close(fds[1]);
	printf("pipe: %zd bytes", read(fds[0], text, sizeof(text) - 1));
	printf(", %s, %d\n", text, wait_for(pid));
}

static void with_stop(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		raise(SIGSTOP);
		_exit(5);
	}
	waitpid(pid, &status, WUNTRACED);
	printf("stopped: %d", WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	kill(pid, SIGCONT);
	printf(", continued: %d\n", WEXITSTATUS(wait_for(pid)));
}

static void with_orphan(void)
{
	char byte;
	int fds[2];
	pid_t pid;

	if (pipe(fds) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			_exit(write(fds[1], "x", 1) != 1);
		}
		_exit(0);
	}
	wait_for(pid);
	close(fds[1]);
	printf("orphan: %zd\n", read(fds[0], &byte, 1));
}

static void *exec_again(void *path)
{
	execl(path, path, "again", (char *)NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1) {
		puts("exec by a thread");
		return 6;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	with_fork();
	with_vfork();
	with_spawn();
	with_pipe();
	with_stop();
	with_orphan();
	pthread_create(&thread, NULL, exec_again, argv[0]);
	pthread_join(thread, NULL);
	return 1;
}
