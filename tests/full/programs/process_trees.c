/* SPDX-License-Identifier: MIT */
/* Makes processes by forks of forks, vfork and clone with various flags, and executes programs,
 * scripts and descriptors; some of these calls fail. Waits for statuses in several ways. Has
 * orphans, process groups and sessions. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "say.h"

extern char **environ;

static void tell(const char *what, int status)
{
	say("%s: %s %d\n", what, WIFSIGNALED(status) ? "signal" : "status",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static void reap(const char *what, pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	tell(what, status);
}

static int tree(int depth)
{
	pid_t children[2];
	int sum = depth, status;

	for (int i = 0; depth && i < 2; i++)
		if (!(children[i] = fork()))
			_exit(tree(depth - 1));
	for (int i = 0; depth && i < 2; i++) {
		waitpid(children[i], &status, 0);
		sum += WEXITSTATUS(status);
	}
	return sum;
}

static void by_vfork(void)
{
	volatile int shared = 1;
	pid_t pid = vfork();

	if (!pid) {
		shared = 7;
		execl("/bin/sh", "sh", "-c", "exit 4", NULL);
		_exit(99);
	}
	reap("vfork", pid);
	say("shared %d\n", shared);
	pid = vfork();
	if (!pid)
		_exit(execl("/does/not/exist", "no", NULL) < 0 ? errno : 0);
	reap("vfork without a program", pid);
}

static char stack[65536];
static volatile int value;

static int changes(void *arg)
{
	value += 10;
	if (chdir("/"))
		return 1;
	close((int)(intptr_t)arg);
	return 6;
}

static void by_clone(void)
{
	struct clone_args args = { .flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD };
	char here[512];
	int fd = dup(1);
	pid_t pid;

	pid = clone(changes, stack + sizeof(stack), SIGCHLD, (void *)(intptr_t)fd);
	reap("clone", pid);
	say("value %d, same folder %d, open %d\n", value, !!strcmp(getcwd(here, sizeof(here)), "/"),
	    fcntl(fd, F_GETFD) >= 0);
	pid = clone(changes, stack + sizeof(stack),
		    CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS | SIGCHLD,
		    (void *)(intptr_t)fd);
	reap("clone of all", pid);
	say("value %d, same folder %d, open %d\n", value, !!strcmp(getcwd(here, sizeof(here)), "/"),
	    fcntl(fd, F_GETFD) >= 0);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, (void (*)(int))(uintptr_t)changes);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!pid) {
		struct sigaction one, two;

		sigaction(SIGUSR1, NULL, &one);
		sigaction(SIGUSR2, NULL, &two);
		_exit((one.sa_handler == SIG_IGN) + 2 * (two.sa_handler == SIG_DFL));
	}
	reap("clone3", pid);
	pid = clone(changes, stack + sizeof(stack), 0, (void *)(intptr_t)-1);
	say("not found: %d, ", waitpid(pid, NULL, 0) < 0);
	say("found: %d\n", waitpid(pid, NULL, __WCLONE) == pid);
}

static void execute(const char *what, const char *path, char *const *arguments)
{
	pid_t pid = fork();

	if (!pid) {
		execve(path, arguments, environ);
		say("%s: %s\n", what, strerrorname_np(errno));
		_exit(126);
	}
	reap(what, pid);
}

static void make(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0700);

	if (write(fd, text, strlen(text)) < 0)
		_exit(98);
	fchmod(fd, mode);
	close(fd);
}

static void programs(const char *self)
{
	char *arguments[] = { "name", "one", "", "two words", NULL },
	     *large[3] = { "large", NULL, NULL };
	char *own[] = { (char *)(uintptr_t)self, "chain", "3", NULL };
	const char *parent = getenv("TMPDIR");
	char folder[2048], path[2100], *text = malloc(100001);
	pid_t pid;
	int fd;

	snprintf(folder, sizeof(folder), "%s/kinds.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(folder) || chdir(folder))
		return;
	snprintf(path, sizeof(path), "%s/script", folder);
	make(path, "#!/bin/sh -e\necho \"script: $# $1 $3\"\nexit 9\n", 0700);
	execute("script", path, arguments);
	make(path, "echo no first line\n", 0700);
	execute("no first line", path, arguments);
	make(path, "#!/nowhere/at/all\n", 0700);
	execute("no interpreter", path, arguments);
	make(path, "\177ELF", 0700);
	execute("cut", path, arguments);
	make(path, "", 0700);
	execute("empty", path, arguments);
	execute("folder", folder, arguments);
	execute("chain", self, own);
	memset(text, 'x', 100000);
	text[100000] = 0;
	large[1] = text;
	execute("large", "/bin/true", large);
	unlink(path);
	if (chdir("/") || rmdir(folder))
		return;
	fd = open("/bin/echo", O_RDONLY | O_CLOEXEC);
	pid = fork();
	if (!pid)
		_exit(fexecve(fd, arguments, environ));
	reap("descriptor", pid);
	pid = fork();
	if (!pid)
		_exit((int)syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH));
	reap("execveat", pid);
	if (posix_spawnp(&pid, "sh", NULL, NULL, (char *[]){ "sh", "-c", "kill -9 $$", NULL },
			 environ) == 0)
		reap("spawned", pid);
	free(text);
}

static void statuses(void)
{
	siginfo_t info;
	struct rusage usage;
	int status, ends[2];
	char letter = 0;
	pid_t pid;

	if (pipe(ends))
		return;
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		_exit(read(ends[0], &letter, 1) == 1 ? 300 : 1);
	}
	waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT);
	say("stopped: code %d status %d\n", info.si_code, info.si_status);
	waitid(P_PID, (id_t)pid, &info, WSTOPPED);
	kill(pid, SIGCONT);
	waitid(P_PID, (id_t)pid, &info, WCONTINUED);
	say("continued: code %d status %d\n", info.si_code, info.si_status);
	if (write(ends[1], &letter, 1) != 1)
		return;
	waitid(P_PID, (id_t)pid, &info, WEXITED);
	say("ended: code %d status %d mine %d\n", info.si_code, info.si_status, info.si_pid == pid);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_DUMPABLE, 0);
		*(volatile int *)16 = 1;
	}
	wait4(pid, &status, 0, &usage);
	tell("faulted", status);
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	say("nothing yet: %d\n", waitpid(pid, &status, WNOHANG));
	kill(pid, SIGTERM);
	reap("ended by us", pid);
	say("no child: %d\n", wait(&status) < 0 && errno == ECHILD);
	signal(SIGCHLD, SIG_IGN);
	pid = fork();
	if (!pid)
		_exit(1);
	say("nobody waits: %d\n", waitpid(pid, &status, 0) < 0);
	signal(SIGCHLD, SIG_DFL);
}

static void orphans(void)
{
	int ends[2], me = getpid();
	pid_t pid;
	char letter = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe(ends))
		return;
	pid = fork();
	if (!pid) {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGUSR1);
			signal(SIGUSR1, SIG_IGN);
			while (getppid() != me)
				usleep(1000);
			letter = 'o';
			_exit(write(ends[1], &letter, 1) != 1);
		}
		_exit(0);
	}
	reap("between", pid);
	say("orphan %d\n", (int)read(ends[0], &letter, 1));
	reap("orphan", -1);
	pid = fork();
	if (!pid)
		_exit((setsid() == getpid()) + 2 * (getpgrp() == getpid()) +
		      4 * (getsid(0) == getpid()));
	reap("session", pid);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		if (!fork()) {
			for (;;)
				pause();
		}
		kill(0, SIGHUP);
		pause();
	}
	reap("group", pid);
	reap("its other one", -1);
}

int main(int argc, char **argv)
{
	char self[512];
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc == 3) {
		char next[2] = { (char)(argv[2][0] - 1), 0 };

		say("chain %s\n", argv[2]);
		return argv[2][0] == '0' ? 8 : execl(argv[0], argv[0], "chain", next, NULL);
	}
	self[size] = 0;
	say("tree %d\n", tree(4));
	by_vfork();
	by_clone();
	programs(self);
	statuses();
	orphans();
	return 2;
}
