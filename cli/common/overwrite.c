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

	if (status < 0 || stat(out, &to) < 0 || !S_ISREG(to.st_mode) ||
	    to.st_dev != from.st_dev || to.st_ino != from.st_ino)
		return false;
	command_error("%s: is the trace itself; name another file", out);
	return true;
}
