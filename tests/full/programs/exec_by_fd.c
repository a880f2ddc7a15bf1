/* flags: -static */
/* SPDX-License-Identifier: MIT */
/* Executes itself by /proc/self/exe, by descriptors, by the memory of a file without a name, by a removed file, by a
 * path relative to a folder and by threads; prints what the new program sees of its name and its descriptors. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "say.h"

extern char **environ;
static int kept, closed, ends[2];

static void print_link(const char *path)
{
	char name[4096] = "";
	ssize_t size = readlink(path, name, sizeof(name) - 1);
	char *last = size < 0 ? NULL : strrchr(name, '/');

	say(" %s: %s\n", path, size < 0 ? strerror(errno) : last ? last : name);
}

/* The executed program's side: counts its descriptors by trying them. */
static int executed(int argc, char **argv)
{
	char name[32] = "";
	const char *file = (const char *)getauxval(AT_EXECFN);
	int fd = open("/proc/self/comm", O_RDONLY), n = 0;

	if (read(fd, name, sizeof(name) - 1) < 0)
		return 1;
	close(fd);
	for (int i = 0; i < 300; i++)
		n += fcntl(i, F_GETFD) >= 0;
	if (strncmp(file, "/dev/fd/", 8) && strrchr(file, '/'))
		file = strrchr(file, '/');
	say(" argc %d, comm %s argv0 %s, execfn %s, descriptors %d\n", argc, name,
	    argv[0] ? argv[0] : "none", file, n);
	print_link("/proc/self/exe");
	return argc > 1 ? atoi(argv[1]) : 40;
}

static void in_child(const char *what, void (*run)(void))
{
	int status;
	pid_t pid;

	say("%s\n", what);
	pid = fork();
	if (!pid) {
		run();
		say(" not executed: %s\n", strerror(errno));
		_exit(99);
	}
	waitpid(pid, &status, 0);
	say(" status %x\n", status);
}

static char *arguments[] = { "again", "5", NULL };

static int copy_of_self(int to)
{
	int from = open("/proc/self/exe", O_RDONLY);
	struct stat is;

	fstat(from, &is);
	for (off_t at = 0; at < is.st_size;)
		if (sendfile(to, from, &at, (size_t)(is.st_size - at)) <= 0)
			return -1;
	close(from);
	return 0;
}

static void by_proc(void)
{
	execv("/proc/self/exe", arguments);
}

static void by_descriptor(void)
{
	fexecve(open("/proc/self/exe", O_RDONLY), arguments, environ);
}

static void by_closed_descriptor(void)
{
	fexecve(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), arguments, environ);
}

static void by_path_descriptor(void)
{
	syscall(SYS_execveat, open("/proc/self/exe", O_PATH | O_CLOEXEC), "", arguments, environ,
		AT_EMPTY_PATH);
}

static void by_memory(void)
{
	int fd = memfd_create("program", MFD_CLOEXEC);

	if (copy_of_self(fd) == 0)
		syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH);
}

static void by_memory_still_open(void)
{
	int fd = memfd_create("program", 0);

	if (copy_of_self(fd) == 0)
		fexecve(fd, arguments, environ);
}

static void removed_file(void)
{
	const char *name = "./removed_program";
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0700), again;

	if (copy_of_self(fd))
		return;
	again = open(name, O_RDONLY | O_CLOEXEC);
	close(fd);
	unlink(name);
	syscall(SYS_execveat, again, "", arguments, environ, AT_EMPTY_PATH);
}

static void still_written(void)
{
	const char *name = "./written_program";
	int fd = open(name, O_RDWR | O_CREAT, 0700);

	if (copy_of_self(fd) == 0)
		execv(name, arguments);
	unlink(name);
}

static void in_a_folder(void)
{
	int folder = open("/bin", O_PATH | O_DIRECTORY);
	char *echo[] = { "echo", " from a folder", NULL };

	syscall(SYS_execveat, folder, "echo", echo, environ, 0);
}

static void no_link(void)
{
	int folder = open("/proc/self", O_PATH | O_DIRECTORY);

	syscall(SYS_execveat, folder, "exe", arguments, environ, AT_SYMLINK_NOFOLLOW);
}

static void no_arguments(void)
{
	char *none[] = { NULL };

	execve("/proc/self/exe", none, none);
}

static void script_by_closed_descriptor(void)
{
	int fd = memfd_create("script", MFD_CLOEXEC);

	if (write(fd, "#!/bin/echo\n", 12) == 12)
		syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH);
}

static void script_by_descriptor(void)
{
	int fd = memfd_create("script", 0);

	if (write(fd, "#!/bin/echo of the script\n", 26) == 26)
		syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH);
}

static void *execute(void *arg)
{
	(void)arg;
	by_closed_descriptor();
	return NULL;
}

static void by_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute, NULL);
	pthread_join(thread, NULL);
}

static void chain(void)
{
	char *three[] = { "again", "chain", "3", NULL };

	execv("/proc/self/exe", three);
}

/* The executed program has one end of a pipe, which is closed on the next execution. */
static void pipes(void)
{
	char byte = 0;
	int status;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	kept = dup(ends[1]);
	closed = fcntl(ends[1], F_DUPFD_CLOEXEC, 100);
	fcntl(closed, F_SETFD, 0);
	fcntl(kept, F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (!pid)
		by_proc();
	close(ends[1]);
	close(kept);
	close(closed);
	say(" end of file %zd\n", read(ends[0], &byte, 1));
	waitpid(pid, &status, 0);
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = vfork();
	if (!pid) {
		execl("/does/not/exist", "x", NULL);
		_exit(write(ends[1], "f", 1) != 1);
	}
	say(" failure told %zd\n", read(ends[0], &byte, 1));
	waitpid(pid, &status, 0);
	errno = 0;
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		char left[16];
		char *next[] = { "again", "chain", left, NULL };

		snprintf(left, sizeof(left), "%d", atoi(argv[2]) - 1);
		say(" %s left\n", left);
		execv("/proc/self/exe", strcmp(left, "0") ? next : arguments);
	}
	if (argc == 0 || !strcmp(argv[0], "again") || !*argv[0])
		return executed(argc, argv);
	in_child("/proc/self/exe", by_proc);
	in_child("descriptor", by_descriptor);
	in_child("closed descriptor", by_closed_descriptor);
	in_child("path descriptor", by_path_descriptor);
	in_child("memory", by_memory);
	in_child("open memory", by_memory_still_open);
	in_child("removed", removed_file);
	in_child("written", still_written);
	in_child("folder", in_a_folder);
	in_child("no link", no_link);
	in_child("no arguments", no_arguments);
	in_child("script, closed", script_by_closed_descriptor);
	in_child("script", script_by_descriptor);
	in_child("thread", by_thread);
	in_child("chain", chain);
	in_child("pipes", pipes);
	return 0;
}
