/* SPDX-License-Identifier: MIT */
/* Files that are read as streams. */
#ifndef OPEN_INPUT_H
#define OPEN_INPUT_H

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* Opens a file for reading. Returns NULL with errno set on errors and for a directory, which would
 * seem empty. */
static inline FILE *open_input(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat status;

	if (!file || fstat(fileno(file), &status) < 0 || !S_ISDIR(status.st_mode))
		return file;
	fclose(file);
	errno = EISDIR;
	return NULL;
}

#endif
