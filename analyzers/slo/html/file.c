/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "traceformat/common/named_file.h"

/* Reads a file up to its size; later growth is ignored. */
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

/* Binary files are no sources; the trace itself is one. */
static char *read_text(int file, size_t *size, const char **why)
{
	struct stat status;
	char *text;

	*why = "is larger than 4 MiB";
	if (fstat(file, &status) < 0 || status.st_size > MOST_SOURCE_BYTES)
		return NULL;
	*size = (size_t)status.st_size;
	text = read_file(file, size);
	*why = NULL;
	if (!memchr(text, 0, *size))
		return text;
	free(text);
	*why = "is not a text";
	return NULL;
}

char *html_read_source(const struct html_roots *roots, const char *path, size_t *size,
		       const char **why)
{
	char resolved[PATH_MAX], *text = NULL;
	int file = named_file_open(path, resolved, why);

	if (file < 0)
		return NULL;
	*why = html_roots_refuse(roots, resolved);
	if (!*why)
		text = read_text(file, size, why);
	close(file);
	return text;
}
