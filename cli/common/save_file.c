/* SPDX-License-Identifier: MIT */
#include "cli/common/save_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/unfinished.h"

/* ---- files that must not be overwritten -------------------------------------------------- */

bool would_overwrite(const char *out, const char *trace)
{
	struct stat to, from;
	int status = strcmp(trace, "-") ? stat(trace, &from) : fstat(STDIN_FILENO, &from);

	if (status < 0 || stat(out, &to) < 0 || !S_ISREG(to.st_mode) || to.st_dev != from.st_dev ||
	    to.st_ino != from.st_ino)
		return false;
	command_error("%s: is the trace itself; name another file", out);
	return true;
}

static const char *inputs[OVERWRITE_INPUTS];
static unsigned n_inputs;

void protect_input(const char *path)
{
	if (path && n_inputs < OVERWRITE_INPUTS)
		inputs[n_inputs++] = path;
}

bool would_overwrite_input(const char *out)
{
	for (unsigned i = 0; i < n_inputs; i++)
		if (would_overwrite(out, inputs[i]))
			return true;
	return false;
}

bool is_dangling(const char *out)
{
	struct stat named, meant;

	if (lstat(out, &named) < 0 || !S_ISLNK(named.st_mode) || stat(out, &meant) == 0)
		return false;
	command_error("%s: is a symbolic link to nothing; name another file", out);
	return true;
}

/* ---- files that are complete or do not exist --------------------------------------------- */

struct save_file {
	const char *path;
	char *temporary; /* NULL: written in place */
	struct unfinished *unfinished;
	FILE *stream;
};

static bool is_special(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && !S_ISREG(file.st_mode);
}

static void free_file(struct save_file *file)
{
	unfinished_end(file->unfinished);
	free(file->temporary);
	free(file);
}

struct save_file *save_file_begin(const char *path)
{
	struct save_file *file;

	if (would_overwrite_input(path))
		return NULL;
	file = checked_array(1, sizeof(*file));
	file->path = path;
	if (is_special(path)) {
		file->stream = fopen(path, "we");
	} else {
		file->temporary = text_format("%s.%d.tmp", path, (int)getpid());
		file->unfinished = unfinished_file(file->temporary);
		file->stream = fopen(file->temporary, "wxe");
	}
	if (file->stream)
		return file;
	command_error("cannot create %s: %m", path);
	free_file(file);
	return NULL;
}

FILE *save_file_stream(struct save_file *file)
{
	return file->stream;
}

int save_file_end(struct save_file *file)
{
	bool failed = ferror(file->stream) | fclose(file->stream);

	file->stream = NULL;
	if (!failed && file->temporary)
		failed = rename(file->temporary, file->path) < 0;
	if (failed) {
		command_error("cannot write %s: %m", file->path);
		save_file_drop(file);
		return EXIT_FAILED;
	}
	free_file(file);
	return EXIT_DONE;
}

void save_file_drop(struct save_file *file)
{
	if (!file)
		return;
	if (file->stream)
		fclose(file->stream);
	if (file->temporary)
		unlink(file->temporary);
	free_file(file);
}
