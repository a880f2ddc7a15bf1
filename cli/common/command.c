/* SPDX-License-Identifier: MIT */
#include "cli/common/command.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "cli/common/checked.h"
#include "cli/common/escape.h"
#include "cli/common/progress.h"
#include "traceformat/traceformat.h"

static const char *command_name = "tracelab";

/*
 * Occupies closed standard streams so that no file becomes one and receives its output. Using such
 * a stream still fails, and programs that the command runs find it closed.
 */
static void occupy_standard_streams(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd] | O_CLOEXEC) < 0)
			return;
}

void command_init(const char *name)
{
	command_name = name;
	occupy_standard_streams();
}

/* Messages may quote a trace: they are escaped, and so are always one line. */
void command_message(const char *severity, const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		out_of_memory();
	char *line = escape_text(text);

	progress_erase();
	fprintf(stderr, "%s: %s%s\n", command_name, severity, line);
	free(line);
	free(text);
}

void command_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	command_message("error: ", format, arguments);
	va_end(arguments);
}

void command_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	command_message("warning: ", format, arguments);
	va_end(arguments);
}

void command_note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	command_message("", format, arguments);
	va_end(arguments);
}

int command_usage_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	command_message("error: ", format, arguments);
	va_end(arguments);
	fprintf(stderr, "Try '%s --help'.\n", command_name);
	return EXIT_USAGE;
}

void command_version(void)
{
	uint64_t zydis = ZydisGetVersion();

	printf("%s (tracelab) %s\n", command_name, TRACELAB_VERSION);
	printf("trace format %d.%d, %s, zstd %s, zydis %d.%d.%d, jansson %s\n", TF_FORMAT_MAJOR,
	       TF_FORMAT_MINOR, tf_version(), ZSTD_versionString(), (int)ZYDIS_VERSION_MAJOR(zydis),
	       (int)ZYDIS_VERSION_MINOR(zydis), (int)ZYDIS_VERSION_PATCH(zydis),
	       jansson_version_str());
}

int command_close_stdout(void)
{
	bool lost = ferror(stdout);
	int copy;

	errno = 0;
	if (fflush(stdout))
		lost = true;
	/* Network file systems report lost data on close; a copy leaves stdout open. */
	else if ((copy = dup(STDOUT_FILENO)) >= 0 && close(copy))
		lost = true;
	if (!lost)
		return EXIT_DONE;
	if (errno != EPIPE)
		command_error("standard output: %s; results are incomplete",
			      errno ? strerror(errno) : "a write failed");
	return EXIT_FAILED;
}
