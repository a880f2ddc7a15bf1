/* SPDX-License-Identifier: MIT */
#include "cli/analyze/analyzers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"

static const char prefix[] = "trace-";
static const char *const commands[] = { "record", "info",    "dump",   "verify", "repair", "repack",
					"import", "analyze", "sample", "report", "compare" };

bool is_command_name(const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(name, commands[i]))
			return true;
	return false;
}

/* ---- finding ----------------------------------------------------------------------------- */

/*
 * Returns the folder of this program and those of PATH, separated by colons. The caller frees it.
 */
static char *search_path(void)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *path = getenv("PATH");

	self[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(self, '/');

	if (slash)
		*slash = '\0';
	return text_format("%s:%s", self, path ? path : "");
}

static bool mentions_library(const char *path)
{
	static const char *const marks[] = { "libtraceformat", "libanalyzer" };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat file;
	bool found = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &file) == 0 && file.st_size > 0) {
		void *text = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (text != MAP_FAILED) {
			for (size_t i = 0; i < 2 && !found; i++)
				found = memmem(text, (size_t)file.st_size, marks[i],
					       strlen(marks[i]));
			munmap(text, (size_t)file.st_size);
		}
	}
	close(fd);
	return found;
}

static bool is_analyzer(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0 &&
	       mentions_library(path);
}

static void add(struct found_analyzers *analyzers, const char *folder, const char *file)
{
	const char *name = file + strlen(prefix);
	char *path;

	if (strncmp(file, prefix, strlen(prefix)) || !*name || is_command_name(name))
		return;
	for (size_t i = 0; i < analyzers->count; i++)
		if (!strcmp(analyzers->at[i].name, name))
			return;
	path = text_format("%s/%s", folder, file);
	if (!is_analyzer(path)) {
		free(path);
		return;
	}
	CHECKED_RESERVE(*analyzers, analyzers->count + 1);
	analyzers->at[analyzers->count++] = (struct found_analyzer){
		.name = checked_copy(name),
		.path = path,
	};
}

static int by_name(const void *a, const void *b)
{
	const struct found_analyzer *first = a, *second = b;

	return strcmp(first->name, second->name);
}

struct found_analyzers find_analyzers(void)
{
	struct found_analyzers analyzers = { 0 };
	char *folders = search_path();
	char *rest = folders;
	const char *folder;

	while ((folder = strsep(&rest, ":"))) {
		DIR *listing = *folder == '/' ? opendir(folder) : NULL;
		const struct dirent *entry;

		if (!listing)
			continue;
		while ((entry = readdir(listing)))
			add(&analyzers, folder, entry->d_name);
		closedir(listing);
	}
	free(folders);
	if (analyzers.count)
		qsort(analyzers.at, analyzers.count, sizeof(*analyzers.at), by_name);
	return analyzers;
}

static void free_item(struct found_analyzer *item)
{
	free(item->name);
	free(item->path);
	free(item->summary);
}

/* ---- asking ------------------------------------------------------------------------------ */

/*
 * Starts `path --summary` in a process group of its own, its output to fd, and discards its
 * messages.
 */
static bool start_summary(const char *path, int fd, const sigset_t *mask, pid_t *pid)
{
	char *const arguments[] = { (char *)path, (char *)"--summary", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attributes, mask);
	bool started = posix_spawn(pid, path, &actions, &attributes, arguments, environ) == 0;

	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return started;
}

/*
 * Waits for pid, and kills its group if it takes too long. Returns whether pid ended with status 0.
 */
static bool wait_briefly(pid_t pid, const char *path, const sigset_t *child)
{
	static const struct timespec limit = { .tv_sec = 60 }; /* also on a busy computer */
	int status;

	while (sigtimedwait(child, NULL, &limit) < 0)
		if (errno == EAGAIN) {
			kill(-pid, SIGKILL);
			command_warning(
				"%s: no answer to --summary within a minute; it is left out", path);
			break;
		}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Asks an analyzer for its summary. Returns false unless it answers with a line of text. */
static bool ask_summary(const char *path, char *summary, size_t size)
{
	sigset_t child, mask;
	int ends[2];
	pid_t pid;
	ssize_t length = 0;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &mask);
	if (start_summary(path, ends[1], &mask, &pid) && wait_briefly(pid, path, &child))
		length = read(ends[0], summary, size - 1);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(ends[0]);
	close(ends[1]);
	summary[length > 0 ? length : 0] = '\0';
	*strchrnul(summary, '\n') = '\0';
	return *summary;
}

void ask_analyzers(struct found_analyzers *analyzers)
{
	size_t kept = 0;

	signal(SIGCHLD, SIG_DFL); /* wait needs it not ignored */
	for (size_t i = 0; i < analyzers->count; i++) {
		struct found_analyzer *item = &analyzers->at[i];
		char summary[256];

		if (ask_summary(item->path, summary, sizeof(summary))) {
			item->summary = checked_copy(summary);
			analyzers->at[kept++] = *item;
		} else {
			free_item(item);
		}
	}
	analyzers->count = kept;
}

void free_analyzers(struct found_analyzers *analyzers)
{
	for (size_t i = 0; i < analyzers->count; i++)
		free_item(&analyzers->at[i]);
	free(analyzers->at);
}
