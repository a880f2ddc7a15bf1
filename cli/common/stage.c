/* SPDX-License-Identifier: MIT */
#include "cli/common/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "cli/common/checked.h"

enum { PIECE = 8 << 20 };

static int fail_errno(struct tf_error *error, const char *path)
{
	if (error) {
		*error = (struct tf_error){ .status = TF_E_IO, .section = TF_NONE };
		snprintf(error->text, sizeof(error->text),
			 "%s: %s; TRACELAB_STAGE names another folder for copies of traces", path,
			 strerror(errno));
	}
	return -1;
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Returns the folder, to which only the user has access, or NULL. */
static char *open_folder(struct tf_error *error)
{
	const char *stage = getenv("TRACELAB_STAGE"), *temporary = getenv("TMPDIR");
	char *path = stage && *stage ? checked_copy(stage)
				     : text_format("%s/tracelab-%u",
						   temporary && *temporary ? temporary : "/tmp",
						   (unsigned)geteuid());
	struct stat status;
	bool good = mkdir(path, 0700) == 0 || errno == EEXIST;

	good = good && lstat(path, &status) == 0;
	if (good && stage && S_ISLNK(status.st_mode)) /* the user's own choice */
		good = stat(path, &status) == 0;
	if (good && !S_ISDIR(status.st_mode)) {
		errno = ENOTDIR;
		good = false;
	} else if (good && (status.st_uid != geteuid() || (status.st_mode & 022))) {
		errno = EPERM; /* others could change the copies */
		good = false;
	}
	if (good)
		return path;
	fail_errno(error, path);
	free(path);
	return NULL;
}

/* ---- copying --------------------------------------------------------------------------------- */

static bool write_piece(int fd, const char *bytes, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, bytes, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

/* Copies what is behind the bytes that the copy has already. */
static int copy_rest(struct http_file *file, int fd, const char *path, struct tf_error *error)
{
	uint64_t size = http_size(file), done;
	char *bytes = checked(malloc(PIECE));
	struct stat status;
	int result = fstat(fd, &status) < 0 ? fail_errno(error, path) : 0;

	for (done = (uint64_t)status.st_size; !result && done < size;) {
		size_t piece = size - done < PIECE ? (size_t)(size - done) : PIECE;

		if (http_read(file, bytes, piece, done, error) < 0)
			result = -1;
		else if (!write_piece(fd, bytes, piece, done))
			result = fail_errno(error, path);
		done += piece;
	}
	free(bytes);
	return result;
}

/* Returns a descriptor of a whole copy, or -1. */
static int open_copy(const char *path, uint64_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) < 0 || (uint64_t)status.st_size != size)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Makes the copy while no other process does. Returns a descriptor, or -1. */
static int make_copy(struct http_file *file, const char *path, struct tf_error *error)
{
	char *part = text_format("%s.part", path);
	int fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), copy = -1;

	if (fd < 0 || flock(fd, LOCK_EX) < 0) {
		fail_errno(error, part);
	} else {
		copy = open_copy(path, http_size(file)); /* another process has made it */
		if (copy < 0 && copy_rest(file, fd, part, error) == 0) {
			if (rename(part, path) == 0)
				copy = open_copy(path, http_size(file));
			if (copy < 0)
				fail_errno(error, path);
		}
	}
	if (fd >= 0)
		close(fd);
	free(part);
	return copy;
}

int stage_file(struct http_file *file, const char *url, struct tf_error *error)
{
	char *folder = open_folder(error), *key, *path;
	uint64_t hash;
	int fd;

	if (!folder)
		return -1;
	key = text_format("%s\n%s", url, http_version(file));
	hash = XXH3_64bits(key, strlen(key));
	path = text_format("%s/%016llx.trace", folder, (unsigned long long)hash);
	fd = open_copy(path, http_size(file));
	if (fd < 0)
		fd = make_copy(file, path, error);
	free(path);
	free(key);
	free(folder);
	return fd;
}
