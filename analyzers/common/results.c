/* SPDX-License-Identifier: MIT */
#include "analyzers/common/results.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/overwrite.h"
#include "cli/common/save_file.h"

FILE *results_open(const struct settings *settings)
{
	const char *path = settings->output;

	if (!path)
		return stdout;
	if (would_overwrite(path, settings->trace))
		return NULL;
	FILE *out = fopen(path, "a");

	if (!out)
		command_error("%s: %m", path);
	return out;
}

static int save(const struct report *report, const char *name, const char *suffix,
		enum report_format format)
{
	char *path = text_format("%s.%s", name, suffix);
	struct save_file *file = save_file_begin(path);
	int status = EXIT_FAILED;

	if (file) {
		report_write(report, save_file_stream(file), format);
		status = save_file_end(file);
	}
	free(path);
	return status;
}

int results_write(const struct settings *settings, FILE *out, const struct report *report)
{
	if (settings->results)
		return save(report, settings->results, "json", REPORT_JSON) |
		       save(report, settings->results, "txt", REPORT_TEXT);
	/* What is no regular file has nothing to be emptied of. */
	if (settings->output && ftruncate(fileno(out), 0) < 0 && errno != EINVAL) {
		command_error("%s: %m", settings->output);
		return EXIT_FAILED;
	}
	report_write(report, out, settings->format);
	return 0;
}

int results_close(const struct settings *settings, FILE *out)
{
	if (!settings->output)
		return command_close_stdout();
	if (ferror(out) | fclose(out)) {
		command_error("%s: %m", settings->output);
		return EXIT_FAILED;
	}
	return 0;
}
