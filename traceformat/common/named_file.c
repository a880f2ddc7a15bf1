/* SPDX-License-Identifier: MIT */
#include "traceformat/common/named_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/* A path that is being resolved: the part that is resolved, and the rest. */
struct walk {
	int folder; /* O_PATH: of what is resolved */
	unsigned links;
	char done[PATH_MAX]; /* "" is the root */
	char rest[2 * PATH_MAX];
	char name[NAME_MAX + 1]; /* the component at hand */
	const char *why;
};

static const char not_here[] = "is not here", not_regular[] = "is not a regular file",
		  not_read[] = "cannot be read", not_plain[] = "is below /proc, /dev or /sys",
		  too_long[] = "has too long a path";

static bool fail_walk(struct walk *w, const char *why)
{
	w->why = why;
	return false;
}

static void enter(struct walk *w, int folder)
{
	close(w->folder);
	w->folder = folder;
}

/* ---- components -------------------------------------------------------------------------- */

/* Moves the next component from the rest to the name: "" if there is none. */
static bool next_name(struct walk *w)
{
	char *from = w->rest + strspn(w->rest, "/");
	size_t length = strcspn(from, "/");

	if (length > NAME_MAX)
		return fail_walk(w, too_long);
	memcpy(w->name, from, length);
	w->name[length] = 0;
	memmove(w->rest, from + length, strlen(from + length) + 1);
	return true;
}

static bool is_last(const struct walk *w)
{
	return !w->rest[strspn(w->rest, "/")];
}

/*
 * Returns true for kernel file systems: the kernel makes the contents of their files, and their
 * links lead to objects that no path names.
 */
static bool is_kernels(const struct walk *w, int fd)
{
	static const char *const folders[] = { "proc", "dev", "sys" };
	struct statfs system;

	for (unsigned i = 0; !*w->done && i < sizeof(folders) / sizeof(*folders); i++)
		if (!strcmp(w->name, folders[i]))
			return true;
	return fstatfs(fd, &system) < 0 || system.f_type == PROC_SUPER_MAGIC ||
	       system.f_type == SYSFS_MAGIC;
}

static bool go_up(struct walk *w)
{
	int folder = openat(w->folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *slash = strrchr(w->done, '/');

	if (folder < 0)
		return fail_walk(w, not_here);
	enter(w, folder);
	if (slash)
		*slash = 0;
	return true;
}

/* Puts the target of a link before the rest. */
static bool follow(struct walk *w, int link)
{
	char target[PATH_MAX];
	ssize_t size = readlinkat(link, "", target, sizeof(target));
	size_t rest = strlen(w->rest);
	int root;

	close(link);
	if (size <= 0 || size == sizeof(target) || ++w->links > MOST_LINKS ||
	    (size_t)size + 1 + rest >= sizeof(w->rest))
		return fail_walk(w, size <= 0 ? not_here : too_long);
	memmove(w->rest + size + 1, w->rest, rest + 1);
	memcpy(w->rest, target, (size_t)size);
	w->rest[size] = '/';
	if (*w->rest != '/')
		return true;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail_walk(w, not_here);
	enter(w, root);
	*w->done = 0;
	return true;
}

static bool add_name(struct walk *w)
{
	size_t at = strlen(w->done);

	if (at + 1 + strlen(w->name) >= sizeof(w->done))
		return fail_walk(w, too_long);
	sprintf(w->done + at, "/%s", w->name);
	return true;
}

/*
 * Takes one step; fd is the file that the name stands for. A link is followed even where it is
 * last.
 */
static bool step(struct walk *w, int fd, const struct stat *file)
{
	if (S_ISLNK(file->st_mode))
		return follow(w, fd);
	if (!S_ISDIR(file->st_mode)) {
		close(fd);
		return fail_walk(w, is_last(w) ? not_regular : not_here);
	}
	enter(w, fd);
	return add_name(w);
}

/* ---- the whole path ---------------------------------------------------------------------- */

/*
 * Walks to the end of the path. Returns an O_PATH descriptor of the regular file there, or -1: for
 * a folder, or, with w->why set, for a failure.
 */
static int walk_to_end(struct walk *w)
{
	while (next_name(w) && *w->name) {
		struct stat file;
		int fd;

		if (!strcmp(w->name, "."))
			continue;
		if (!strcmp(w->name, "..")) {
			if (!go_up(w))
				return -1;
			continue;
		}
		fd = openat(w->folder, w->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &file) < 0 || is_kernels(w, fd)) {
			w->why = fd < 0 ? not_here : not_plain;
			if (fd >= 0)
				close(fd);
			return -1;
		}
		if (S_ISREG(file.st_mode) && is_last(w))
			return fd;
		if (!step(w, fd, &file))
			return -1;
	}
	return -1;
}

static bool begin(struct walk *w, const char *path)
{
	w->links = 0;
	w->why = NULL;
	*w->done = 0;
	w->folder = -1;
	if (*path != '/')
		return fail_walk(w, "has no absolute path");
	if (strlen(path) >= PATH_MAX)
		return fail_walk(w, too_long);
	strcpy(w->rest, path);
	w->folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->folder >= 0 || fail_walk(w, not_here);
}

/*
 * Opens for reading a file that is known to be regular, and checks that it is still the same one.
 */
static int open_regular(struct walk *w, int known)
{
	struct stat expected, opened;
	int fd = openat(w->folder, w->name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && fstat(known, &expected) == 0 && fstat(fd, &opened) == 0 &&
	    expected.st_dev == opened.st_dev && expected.st_ino == opened.st_ino)
		return fd;
	if (fd >= 0)
		close(fd);
	w->why = not_read;
	return -1;
}

int named_file_open(const char *path, char resolved[PATH_MAX], const char **why)
{
	struct walk w;
	int known = begin(&w, path) ? walk_to_end(&w) : -1, fd = -1;

	if (known >= 0) {
		fd = add_name(&w) ? open_regular(&w, known) : -1;
		close(known);
	}
	if (w.folder >= 0)
		close(w.folder);
	if (fd >= 0 && resolved)
		strcpy(resolved, w.done);
	*why = fd >= 0 ? NULL : w.why ? w.why : not_regular;
	return fd;
}

int named_folder_open(const char *path, char resolved[PATH_MAX], const char **why)
{
	struct walk w;
	int file = begin(&w, path) ? walk_to_end(&w) : -1;

	if (file >= 0) {
		close(file);
		w.why = "is not a folder";
	}
	if (w.why && w.folder >= 0) {
		close(w.folder);
		w.folder = -1;
	}
	if (w.folder >= 0 && resolved)
		strcpy(resolved, w.done);
	*why = w.why;
	return w.folder;
}

bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}
