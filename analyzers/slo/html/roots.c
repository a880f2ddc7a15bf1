/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/roots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "traceformat/common/named_file.h"

static uint32_t find_program(struct tf_reader *reader)
{
	const char *path = tf_meta(reader, "exe.path");
	const struct tf_module *module;

	for (uint32_t i = 0; path && (module = tf_module(reader, i)); i++)
		if (module->kind == TF_MODULE_FILE && !strcmp(module->path, path))
			return i;
	return TF_NONE;
}

void html_roots_init(struct html_roots *roots, struct tf_reader *reader)
{
	roots->program = find_program(reader);
	roots->here = realpath(".", NULL);
}

void html_roots_free(struct html_roots *roots)
{
	for (size_t i = 0; i < roots->folders.count; i++)
		free(roots->folders.at[i]);
	free(roots->folders.at);
	free(roots->here);
}

/* Takes over the folder. The root is "", so that each path continues it. */
static void add(struct html_roots *roots, char *folder)
{
	if (!strcmp(folder, "/"))
		*folder = 0;
	CHECKED_RESERVE(roots->folders, roots->folders.count + 1);
	roots->folders.at[roots->folders.count++] = folder;
}

bool html_roots_add(struct html_roots *roots, const char *folder)
{
	char *resolved = realpath(folder, NULL);
	struct stat status;

	if (!resolved)
		return false;
	if (stat(resolved, &status) < 0 || !S_ISDIR(status.st_mode)) {
		free(resolved);
		errno = ENOTDIR;
		return false;
	}
	roots->named = true;
	add(roots, resolved);
	return true;
}

/* Returns NULL if a page may show the file of a resolved path, else the reason why it may not. */
static const char *refusal(const struct html_roots *roots, const char *path)
{
	bool hidden = false;

	for (size_t i = 0; i < roots->folders.count; i++) {
		const char *folder = roots->folders.at[i];

		if (!is_below(path, folder))
			continue;
		if (roots->named || !strstr(path + strlen(folder), "/."))
			return NULL;
		hidden = true;
	}
	return hidden ? "is hidden" : "is not below a folder that --source names";
}

/* Learns a folder. The root folder is ignored, as a compilation folder and as the current one. */
void html_roots_learn(struct html_roots *roots, uint32_t module, const char *folder)
{
	char resolved[PATH_MAX];
	const char *why;
	int fd;

	if (roots->named || module == TF_NONE || module != roots->program || !folder ||
	    !roots->here || !roots->here[1])
		return;
	fd = named_folder_open(folder, resolved, &why);
	if (fd < 0)
		return;
	close(fd);
	if (is_below(resolved, roots->here) && refusal(roots, resolved))
		add(roots, checked_copy(resolved));
}

/* ---- reading ----------------------------------------------------------------------------- */

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
	*why = refusal(roots, resolved);
	if (!*why)
		text = read_text(file, size, why);
	close(file);
	return text;
}
