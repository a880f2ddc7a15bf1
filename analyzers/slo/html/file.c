/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"

/* What is no regular file is not even opened: that alone may do something to a device. */
static const char *unfit(const struct stat *status)
{
	if (!S_ISREG(status->st_mode))
		return "is not a regular file";
	if (status->st_size > MOST_SOURCE_BYTES)
		return "is larger than 4 MiB";
	return NULL;
}

/* It may have grown: what is more than its size is left. */
static char *read_file(int file, size_t *size)
{
	char *text = checked_array(*size, 1);
	size_t got = 0;
	ssize_t n;

	while (got < *size && (n = read(file, text + got, *size - got)) > 0)
		got += (size_t)n;
	*size = got;
	return text;
}

char *html_read_source(const char *path, size_t *size, const char **why)
{
	struct stat status;
	int file = -1;
	char *text = NULL;

	if (*path != '/')
		*why = "has no absolute path";
	else if (stat(path, &status) < 0)
		*why = "is not here";
	else if (!(*why = unfit(&status)) &&
		 (file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0)
		*why = "cannot be read";
	if (file < 0)
		return NULL;
	if (fstat(file, &status) < 0)
		*why = "cannot be read";
	else
		*why = unfit(&status);
	if (!*why) {
		*size = (size_t)status.st_size;
		text = read_file(file, size);
	}
	close(file);
	return text;
}
