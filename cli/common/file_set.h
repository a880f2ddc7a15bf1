/* SPDX-License-Identifier: MIT */
/* The files of a published set: their names, sizes and hashes. */
#ifndef FILE_SET_H
#define FILE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/sha256.h"

struct set_file {
	char *name;               /* in the set: relative, with '/' between folders */
	char *path;               /* to open it */
	uint64_t size;            /* bytes */
	char sha256[SHA256_TEXT]; /* "" until file_set_hash() */
};

struct file_set {
	struct set_file *at;
	size_t count, capacity;
};

/*
 * Adds all regular files below a folder, but the file `without` (may be NULL), which is that of a
 * manifest, and standard output if it is redirected into the folder. Symbolic links are not
 * followed. Returns false after a message.
 */
bool file_set_add_folder(struct file_set *set, const char *folder, const char *without);

/* Adds a file under its name without folders. Returns false after a message. */
bool file_set_add_file(struct file_set *set, const char *path);

/* Sorts the files by name. Returns false, after a message, if two have the same name. */
bool file_set_sort(struct file_set *set);

/* Returns the file of a name in a sorted set, or NULL. */
struct set_file *file_set_find(const struct file_set *set, const char *name);

/* Hashes a file, and sets its size to the bytes read. Returns false after a message. */
bool file_set_hash(struct set_file *file);

/*
 * Hashes the lines "SHA256  NAME" of all files of a sorted set, which are those that sha256sum(1)
 * prints.
 */
void file_set_hash_all(const struct file_set *set, char text[SHA256_TEXT]);

void file_set_free(struct file_set *set);

#endif
