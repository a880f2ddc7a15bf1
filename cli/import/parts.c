/* SPDX-License-Identifier: MIT */
#include "cli/import/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "recorder/import/import.h"
#include "traceformat/common/foreign.h"

/* perf numbers its files by its buffers: a few for each CPU. */
enum { MAX_PARTS = 1 << 16 };

/* ---- one file ---------------------------------------------------------------------------- */

/*
 * Reads to the end, or until the bytes show that the file cannot be imported. Returns 0, or -1 with
 * errno set.
 */
static int read_all(int fd, struct perf_part *part)
{
	enum { BEGINNING = 1 << 20 };
	uint8_t *data = NULL;
	size_t room = 0;
	ssize_t n;

	do {
		if (part->size == room) {
			if (room && !import_knows(data, part->size))
				return 0;
			room = room ? 2 * room : BEGINNING;
			part->data = data = checked(realloc(data, room));
		}
		n = read(fd, data + part->size, room - part->size);
		part->size += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -1 : 0;
}

/* Maps a file. Returns false if the file system cannot map it. */
static bool map(int fd, size_t size, struct perf_part *part)
{
	void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;

	if (data == MAP_FAILED)
		return false;
	part->data = data;
	part->size = size;
	return true;
}

static struct perf_part *add_part(struct parts *parts, const char *name)
{
	CHECKED_RESERVE(*parts, parts->count + 1);
	CHECKED_RESERVE(parts->is_mapped, parts->count + 1);
	parts->at[parts->count] = (struct perf_part){ .name = checked_copy(name) };
	return &parts->at[parts->count++];
}

/* Adds the content of an open file. Returns 0, or -1 with errno set. */
static int read_part(struct parts *parts, const char *name, int fd, const struct stat *st)
{
	struct perf_part *part = add_part(parts, name);

	if (S_ISREG(st->st_mode) && map(fd, (size_t)st->st_size, part))
		parts->is_mapped.at[parts->count - 1] = true;
	else
		return read_all(fd, part);
	return 0;
}

/* ---- a folder ---------------------------------------------------------------------------- */

/* Returns N of "data.N" as perf writes it, -1 for other names. */
static long part_number(const char *name)
{
	char *end;
	long n;

	if (strncmp(name, "data.", 5) || name[5] < '0' || name[5] > '9' ||
	    (name[5] == '0' && name[6]))
		return -1;
	n = strtol(name + 5, &end, 10);
	return *end || n >= MAX_PARTS ? -1 : n;
}

/* Returns how many files data.N a folder has; sets *end to one more than the greatest N. */
static size_t count_parts(int folder, long *end)
{
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	size_t count = 0;

	*end = 0;
	while (entries && (entry = readdir(entries))) {
		long n = part_number(entry->d_name);

		count += n >= 0;
		*end = n >= *end ? n + 1 : *end;
	}
	if (entries)
		closedir(entries);
	else if (copy >= 0)
		close(copy);
	return count;
}

/* Reads one regular file of the folder. Returns false with errno set. */
static bool read_member(struct parts *parts, int folder, const char *member)
{
	int fd = openat(folder, member, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *name = text_format("%s/%s", parts->path, member);
	struct stat st;
	bool done = fd >= 0 && fstat(fd, &st) == 0;

	if (done && !S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		done = false;
	}
	done = done && read_part(parts, name, fd, &st) == 0;
	if (fd >= 0)
		close(fd);
	free(name);
	return done;
}

/* Reads data.0, data.1, ... of the folder. */
static bool read_numbered(struct parts *parts, int folder)
{
	long end;

	count_parts(folder, &end);
	for (long n = 0; n < end; n++) {
		char member[32];

		snprintf(member, sizeof(member), "data.%ld", n);
		if (read_member(parts, folder, member))
			continue;
		if (errno != ENOENT) {
			command_error("%s/%s: %s", shown_name(parts->path), member,
				      errno == EINVAL ? "is not a regular file" : strerror(errno));
			return false;
		}
		if (!parts->is_missing)
			parts->missing = (uint64_t)n;
		parts->is_missing = true;
	}
	return true;
}

static bool read_folder(struct parts *parts, int folder)
{
	if (!read_member(parts, folder, "data")) {
		command_error(errno == ENOENT
				      ? "%s: is a folder without a file data, so it is not one of "
					"perf record --threads"
				      : "%s: is a folder whose file data cannot be read",
			      shown_name(parts->path));
		return false;
	}
	return read_numbered(parts, folder);
}

/* ---- a file or a folder ------------------------------------------------------------------ */

static bool read_path(struct parts *parts)
{
	const char *path = parts->path;
	int fd = is_standard_stream(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool done = fd >= 0 && fstat(fd, &st) == 0;

	if (done && S_ISDIR(st.st_mode)) {
		done = read_folder(parts, fd);
	} else {
		done = done && read_part(parts, path, fd, &st) == 0;
		if (!done)
			command_error("%s: %s", shown_name(path), strerror(errno));
	}
	if (fd > STDERR_FILENO)
		close(fd);
	return done;
}

/* Returns true, after a message that names the folder, for a single file of a folder. */
static bool is_lone_part(const struct parts *parts)
{
	struct perf_part *part = &parts->at[0];
	struct tf_error error;

	if (parts->count > 1 || !perf_records_are(part->data, part->size))
		return false;
	perf_file_fail_lone(shown_name(part->name), &error);
	command_error("%s", error.text);
	return true;
}

bool parts_read(struct parts *parts, const char *path)
{
	const struct perf_part *first;
	enum foreign_kind kind;
	const char *other;

	*parts = (struct parts){ .path = path };
	if (!read_path(parts) || is_lone_part(parts))
		return false;
	first = &parts->at[0];
	if (import_knows(first->data, first->size))
		return true;
	other = foreign_kind_text(first->data, first->size, &kind);
	if (kind == FOREIGN_TRACE) {
		command_error("%s: is a trace already, which trace-info describes",
			      shown_name(first->name));
		return false;
	}
	command_error("%s: is not a perf.data file, nor one of the IBS toolkit%s%s; for a trace of "
		      "another tool, use --from",
		      shown_name(first->name), other ? ", but " : "", other ? other : "");
	return false;
}

bool parts_report_missing(const struct parts *parts)
{
	if (parts->is_missing)
		command_error("%s: data.%" PRIu64 " is missing; its samples are lost",
			      shown_name(parts->path), parts->missing);
	return parts->is_missing;
}

void parts_free(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->is_mapped.at[i])
			munmap((void *)parts->at[i].data, parts->at[i].size);
		else
			free((void *)parts->at[i].data);
		free((char *)parts->at[i].name);
	}
	free(parts->at);
	free(parts->is_mapped.at);
}
