/* SPDX-License-Identifier: MIT */
#include "cli/common/output_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/option_parsers.h"
#include "cli/common/save_file.h"
#include "traceformat/traceformat.h"

SHARED_OPTION_PARSER(option_trace_mode)
{
	enum { OCTAL = 8, MOST = 0777 };
	char *end;
	unsigned long value = strtoul(text, &end, OCTAL);

	if (*text < '0' || *text > '7' || *end || value > MOST || !(value & S_IRUSR))
		return "an octal number from 0400 to 0777 is expected, such as 0644";
	*(mode_t *)destination = (mode_t)value;
	return NULL;
}

int set_trace_mode(const char *path, mode_t mode)
{
	struct stat named;

	if (lstat(path, &named) < 0 || !S_ISREG(named.st_mode) ||
	    (named.st_mode & ALLPERMS) == mode || chmod(path, mode) == 0)
		return EXIT_DONE;
	command_error("%s: cannot set its mode: %m", path);
	return EXIT_FAILED;
}

static int refuse_existing(const char *path)
{
	static const char *const kinds[] = {
		[TF_FILE_OTHER] = "exists",
		[TF_FILE_UNFINISHED] = "exists, an unfinished trace",
		[TF_FILE_FINISHED] = "exists, a finished trace",
	};

	command_error("%s: %s; use --force to replace it", path, kinds[tf_file_kind(path)]);
	return EXIT_FAILED;
}

/*
 * Checks a name that cannot be opened: of a new file, or of a link that would create another file.
 */
static int check_new(const char *path, bool force)
{
	struct stat named;

	if (force || lstat(path, &named) < 0 || !S_ISLNK(named.st_mode))
		return EXIT_DONE;
	command_error("%s: is a symbolic link to nothing; use --force to create what it names",
		      path);
	return EXIT_FAILED;
}

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
		return check_new(to_path, force);
	if (would_overwrite(to_path, from_path))
		return EXIT_FAILED;
	return force || !S_ISREG(to.st_mode) ? EXIT_DONE : refuse_existing(to_path);
}

int end_output_trace(const char *path, mode_t mode, int status)
{
	int written;

	if (status == EXIT_DONE)
		status = set_trace_mode(path, mode);
	written = command_close_stdout();
	return status == EXIT_DONE ? written : status;
}
