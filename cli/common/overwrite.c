/* SPDX-License-Identifier: MIT */
#include "cli/common/overwrite.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"

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
