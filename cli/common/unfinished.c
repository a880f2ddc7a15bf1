/* SPDX-License-Identifier: MIT */
#include "cli/common/unfinished.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

/* A registration. It is never freed, because the handler may be reading it on another thread. */
struct unfinished {
	struct unfinished *next;
	atomic_bool is_written;
	enum { A_FILE, A_FOLDER, A_PROCESS } kind;
	pid_t pid;
	char path[];
};

static struct unfinished *_Atomic all;

/* ---- removal, with functions that a signal handler may call ------------------------------ */

static void remove_file(const char *path)
{
	struct stat file;

	if (lstat(path, &file) == 0 && S_ISREG(file.st_mode))
		unlink(path);
}

static void remove_folder(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_Alignas(struct dirent64) char entries[4096];
	ssize_t size;

	while ((size = getdents64(folder, entries, sizeof(entries))) > 0)
		for (ssize_t at = 0; at < size;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			unlinkat(folder, entry->d_name, 0);
			at += entry->d_reclen;
		}
	rmdir(path);
}

static void end_it(const struct unfinished *u)
{
	if (u->kind == A_FILE)
		remove_file(u->path);
	else if (u->kind == A_FOLDER)
		remove_folder(u->path);
	else
		kill(u->pid, SIGTERM);
}

static void on_signal(int signal)
{
	for (const struct unfinished *u = all; u; u = u->next)
		if (u->is_written)
			end_it(u);
	/* The signal is blocked until the handler returns; its default action follows. */
	raise(signal);
}

/* ---- registration ------------------------------------------------------------------------ */

static void install(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	struct sigaction inherited;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &inherited) == 0 && inherited.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

static struct unfinished *begin(int kind, const char *path, pid_t pid)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct unfinished *u = checked(calloc(1, sizeof(*u) + strlen(path) + 1));

	strcpy(u->path, path);
	u->kind = kind;
	u->pid = pid;
	u->is_written = true;
	u->next = all;
	while (!atomic_compare_exchange_weak(&all, &u->next, u))
		continue;
	pthread_once(&once, install);
	return u;
}

struct unfinished *unfinished_file(const char *path)
{
	return is_standard_stream(path) ? NULL : begin(A_FILE, path, 0);
}

struct unfinished *unfinished_folder(const char *path)
{
	return begin(A_FOLDER, path, 0);
}

struct unfinished *unfinished_process(pid_t pid)
{
	return begin(A_PROCESS, "", pid);
}

void unfinished_end(struct unfinished *u)
{
	if (u)
		u->is_written = false;
}

void unfinished_drop(struct unfinished *u)
{
	if (u)
		end_it(u);
	unfinished_end(u);
}
