/* SPDX-License-Identifier: MIT */
#include "recorder/translate/store/store_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "traceformat/common/array.h"

#define MAGIC  "tracelab code 1\n"
#define SUFFIX ".code"
/* Ends the name of a file that is being written, after digits and dots. */
#define UNFINISHED "code.new"

enum {
	MAGIC_BYTES = 16,
	HEAD_BYTES = MAGIC_BYTES + sizeof(struct store_key) + 8,
	MOST_BYTES = 128 << 20,
	KEY_DIGITS = 2 * sizeof(struct store_key),
	NAME_BYTES = 64,
	STALE_SECONDS = 3600, /* age of a temporary file that nobody writes any more */
};

/* ---- the folder ---- */

/* Makes the folder and those above it. Errors show when it is opened. */
static void make(const char *path)
{
	char above[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(above))
		return;
	memcpy(above, path, length + 1);
	for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(above, 0700);
		*slash = '/';
	}
	mkdir(above, 0700);
}

int store_folder_open(const char *path, const char **why)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		make(path);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		*why = strerror(errno);
	else if (st.st_uid != geteuid())
		*why = "it belongs to another user";
	else if (st.st_mode & (S_IWGRP | S_IWOTH))
		*why = "other users may write to it";
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void name_of(const struct store_key *key, char name[NAME_BYTES])
{
	for (unsigned i = 0; i < sizeof(key->bytes); i++)
		sprintf(name + 2 * i, "%02x", key->bytes[i]);
	strcpy(name + KEY_DIGITS, SUFFIX);
}

/* ---- one file ---- */

static void make_head(const struct store_key *key, const struct buffer *contents,
		      uint8_t head[HEAD_BYTES])
{
	memcpy(head, MAGIC, MAGIC_BYTES);
	memcpy(head + MAGIC_BYTES, key, sizeof(*key));
	put_le64(head + MAGIC_BYTES + sizeof(*key), XXH3_64bits(contents->data, contents->size));
}

/* Reads `size` bytes. A file that has fewer by now is damaged. */
static bool read_all(int fd, void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, (char *)bytes + done, size - done);

		if (n <= 0 && !(n < 0 && errno == EINTR))
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool write_all(int fd, const void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, (const char *)bytes + done, size - done);

		if (n <= 0 && !(n < 0 && errno == EINTR))
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool read_contents(int fd, const struct store_key *key, struct buffer *contents)
{
	uint8_t head[HEAD_BYTES], expected[HEAD_BYTES];
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size < HEAD_BYTES || st.st_size > MOST_BYTES)
		return false;
	contents->size = (size_t)st.st_size - HEAD_BYTES;
	contents->data = malloc(contents->size + 1);
	contents->capacity = contents->size;
	if (!contents->data || !read_all(fd, head, sizeof(head)) ||
	    !read_all(fd, contents->data, contents->size))
		return false;
	make_head(key, contents, expected);
	return !memcmp(head, expected, sizeof(head));
}

enum store_status store_folder_read(int folder, const struct store_key *key,
				    struct buffer *contents)
{
	char name[NAME_BYTES];
	int fd;

	name_of(key, name);
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? STORE_MISSING : STORE_DAMAGED;
	if (!read_contents(fd, key, contents)) {
		buffer_free(contents);
		close(fd);
		return STORE_DAMAGED;
	}
	futimens(fd, NULL);
	close(fd);
	return STORE_FOUND;
}

bool store_folder_write(int folder, const struct store_key *key, const struct buffer *contents)
{
	char name[NAME_BYTES], temporary[NAME_BYTES];
	uint8_t head[HEAD_BYTES];
	struct timespec now;
	bool written;
	int fd;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(temporary, sizeof(temporary), "%d.%ld." UNFINISHED, (int)getpid(), now.tv_nsec);
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	name_of(key, name);
	make_head(key, contents, head);
	written = write_all(fd, head, sizeof(head)) &&
		  write_all(fd, contents->data, contents->size);
	written = close(fd) == 0 && written;
	if (written && renameat(folder, temporary, folder, name) == 0)
		return true;
	unlinkat(folder, temporary, 0);
	return false;
}

/* ---- all files ---- */

struct file {
	char name[NAME_BYTES];
	struct timespec used;
	uint64_t size;
};

/* Returns true if the name has only these characters before the end. The folder may have other
 * files, which are their owners'. */
static bool is_named(const char *name, const char *characters, const char *end)
{
	return !strcmp(name + strspn(name, characters), end);
}

static int by_use(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
	return x->used.tv_nsec < y->used.tv_nsec ? 1 : -(x->used.tv_nsec > y->used.tv_nsec);
}

/* Files of the cache, and temporary ones that a killed recorder has left, which are removed. */
static bool is_code_file(int folder, const char *name, struct file *file)
{
	struct stat st;

	if (strlen(name) >= sizeof(file->name) ||
	    fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (is_named(name, "0123456789.", UNFINISHED) &&
	    st.st_mtim.tv_sec < time(NULL) - STALE_SECONDS)
		unlinkat(folder, name, 0);
	if (!is_named(name, "0123456789abcdef", SUFFIX) ||
	    strlen(name) != KEY_DIGITS + strlen(SUFFIX))
		return false;
	*file = (struct file){ .used = st.st_mtim, .size = (uint64_t)st.st_size };
	strcpy(file->name, name);
	return true;
}

void store_folder_trim(int folder, uint64_t most)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	ARRAY(struct file) files = { 0 };
	uint64_t bytes = 0;

	for (struct dirent *e; stream && (e = readdir(stream));)
		if (RESERVE(files, files.count + 1) &&
		    is_code_file(folder, e->d_name, &files.at[files.count]))
			files.count++;
	if (files.count)
		qsort(files.at, files.count, sizeof(*files.at), by_use);
	for (size_t i = 0; i < files.count; i++) {
		bytes += files.at[i].size;
		if (bytes > most)
			unlinkat(folder, files.at[i].name, 0);
	}
	free(files.at);
	if (stream)
		closedir(stream);
	else if (copy >= 0)
		close(copy);
}
