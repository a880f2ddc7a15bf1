/* SPDX-License-Identifier: MIT */
#include "cli/common/output_trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/overwrite.h"

int check_output_trace(const char *from_path, const char *to_path, bool force)
{
	struct stat to;

	if (is_standard_stream(to_path)) {
		if (!isatty(STDOUT_FILENO))
			return EXIT_DONE;
		command_error("a trace is not written to a terminal; name a file, or use a pipe");
		return EXIT_FAILED;
	}
	if (stat(to_path, &to) < 0)
		return EXIT_DONE;
	if (would_overwrite(to_path, from_path))
		return EXIT_FAILED;
	if (!force && S_ISREG(to.st_mode)) {
		command_error("%s: exists; use --force to replace it", to_path);
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}
