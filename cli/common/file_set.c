/* SPDX-License-Identifier: MIT */
#include "cli/common/file_set.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

static void add(struct file_set *set, const char *name, const char *path, uint64_t size)
{
	CHECKED_RESERVE(*set, set->count + 1);
	set->at[set->count++] = (struct set_file){ .name = checked_copy(name),
						   .path = checked_copy(path),
						   .size = size };
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Files that are in the folder but not in the set. */
struct left_out {
	struct stat manifest, output;
	bool has_manifest, has_output;
};

static bool is_left_out(const struct left_out *out, const struct stat *file)
{
	return (out->has_manifest && same_file(&out->manifest, file)) ||
	       (out->has_output && same_file(&out->output, file));
}

/* Takes one thing that is in the folder. Returns false after a message. */
static bool take(struct file_set *set, const FTSENT *entry, size_t prefix,
		 const struct left_out *out)
{
	switch (entry->fts_info) {
	case FTS_F:
		if (!is_left_out(out, entry->fts_statp))
			add(set, entry->fts_path + prefix, entry->fts_path,
			    (uint64_t)entry->fts_statp->st_size);
		return true;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		command_error("%s: %s", entry->fts_path, strerror(entry->fts_errno));
		return false;
	default: return true;
	}
}

bool file_set_add_folder(struct file_set *set, const char *folder, const char *without)
{
	char *roots[] = { (char *)folder, NULL };
	struct left_out out = { 0 };
	size_t prefix = strlen(folder);
	bool good = true;
	FTSENT *entry;
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

	if (!walk) {
		command_error("%s: %m", folder);
		return false;
	}
	while (prefix > 1 && folder[prefix - 1] == '/')
		prefix--;
	prefix += folder[prefix - 1] != '/';
	out.has_manifest = without && stat(without, &out.manifest) == 0;
	out.has_output = fstat(STDOUT_FILENO, &out.output) == 0 && S_ISREG(out.output.st_mode);
	while (good && (errno = 0, entry = fts_read(walk)))
		good = take(set, entry, prefix, &out);
	if (good && errno) {
		command_error("%s: %m", folder);
		good = false;
	}
	fts_close(walk);
	return good;
}

bool file_set_add_file(struct file_set *set, const char *path)
{
	struct stat file;

	if (stat(path, &file) < 0) {
		command_error("%s: %m", shown_name(path));
		return false;
	}
	if (!S_ISREG(file.st_mode)) {
		command_error("%s: is not a regular file", path);
		return false;
	}
	add(set, base_name(path), path, (uint64_t)file.st_size);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct set_file *)a)->name, ((const struct set_file *)b)->name);
}

bool file_set_sort(struct file_set *set)
{
	if (set->count)
		qsort(set->at, set->count, sizeof(*set->at), by_name);
	for (size_t i = 1; i < set->count; i++)
		if (!strcmp(set->at[i - 1].name, set->at[i].name)) {
			command_error("%s and %s have the same name; a set needs different names",
				      set->at[i - 1].path, set->at[i].path);
			return false;
		}
	return true;
}

struct set_file *file_set_find(const struct file_set *set, const char *name)
{
	struct set_file key = { .name = (char *)name };

	return set->count ? bsearch(&key, set->at, set->count, sizeof(key), by_name) : NULL;
}

bool file_set_hash(struct set_file *file)
{
	enum { PIECE = 1 << 16 };
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t *piece = checked_array(PIECE, 1);
	struct sha256 hash;
	ssize_t n = -1;

	sha256_begin(&hash);
	while (fd >= 0 && (n = read(fd, piece, PIECE)) > 0)
		sha256_add(&hash, piece, (size_t)n);
	if (n < 0)
		command_error("%s: %m", file->path);
	if (fd >= 0)
		close(fd);
	free(piece);
	file->size = hash.size;
	sha256_end(&hash, file->sha256);
	return n == 0;
}

void file_set_hash_all(const struct file_set *set, char text[SHA256_TEXT])
{
	struct sha256 hash;

	sha256_begin(&hash);
	for (size_t i = 0; i < set->count; i++) {
		sha256_add(&hash, set->at[i].sha256, SHA256_TEXT - 1);
		sha256_add(&hash, "  ", 2);
		sha256_add(&hash, set->at[i].name, strlen(set->at[i].name));
		sha256_add(&hash, "\n", 1);
	}
	sha256_end(&hash, text);
}

void file_set_free(struct file_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->at[i].name);
		free(set->at[i].path);
	}
	free(set->at);
	*set = (struct file_set){ 0 };
}
