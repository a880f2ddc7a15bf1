/* SPDX-License-Identifier: MIT */
#include "analyzers/common/results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/json_values.h"
#include "cli/common/save_file.h"
#include "cli/common/table_folder.h"
#include "cli/common/unfinished.h"

/* Writes JSON in the style of report_write(). */
enum { JSON_STYLE = JSON_INDENT(2) | JSON_REAL_PRECISION(15) };

static int fail(const char *path)
{
	command_error("%s: %m", path);
	return EXIT_FAILED;
}

/* Returns true if there was no such file and one can be created. */
static bool is_new(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (file < 0)
		return false;
	close(file);
	unlink(path);
	return true;
}

bool results_is_folder(const struct settings *settings)
{
	return settings->format == REPORT_CSV && names_folder(settings->output);
}

int results_open(struct results *r, const struct settings *settings)
{
	const char *path = settings->output;

	*r = (struct results){ .settings = settings, .out = path ? NULL : stdout };
	if (!path)
		return 0;
	if (results_is_folder(settings))
		return make_folder(path);
	if (names_folder(path))
		return refuse_folder(path);
	for (size_t i = 0; i < settings->n_traces; i++)
		if (would_overwrite(path, settings->traces[i]))
			return EXIT_FAILED;
	if (is_dangling(path))
		return EXIT_FAILED;
	if (is_new(path))
		return 0;
	r->out = fopen(path, "ae");
	return r->out ? 0 : fail(path);
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

/* Makes the output an empty file. Returns 0, or EXIT_FAILED after a message. */
static int empty(struct results *r)
{
	const char *path = r->settings->output;

	if (!r->out)
		r->out = fopen(path, "we");
	/* A file that is not regular need not be emptied. */
	else if (ftruncate(fileno(r->out), 0) < 0 && errno != EINVAL)
		return fail(path);
	return r->out ? 0 : fail(path);
}

/* Makes the output an empty file, if it is one, for a result. Returns 0 or EXIT_FAILED. */
static int begin_result(struct results *r)
{
	const char *path = r->settings->output;

	if (!path)
		return 0;
	r->unfinished = unfinished_file(path);
	return empty(r);
}

int results_write(struct results *r, struct report *report)
{
	const struct settings *settings = r->settings;

	if (settings->results)
		return save(report, settings->results, "json", REPORT_JSON) |
		       save(report, settings->results, "txt", REPORT_TEXT);
	if (results_is_folder(settings))
		return save_tables(report, settings->output);
	if (!settings->quiet)
		report_note_tables(report);
	if (begin_result(r))
		return EXIT_FAILED;
	report_fit(report, &settings->tables, r->out);
	report_write(report, r->out, settings->format);
	return 0;
}

int results_write_json(struct results *r, json_t *json)
{
	if (begin_result(r)) {
		json_decref(json);
		return EXIT_FAILED;
	}
	json_put_line(r->out, json, JSON_STYLE);
	return 0;
}

int results_save_json(const struct results *r, json_t *json)
{
	char *path = text_format("%s.report.json", r->settings->results);
	struct save_file *file = save_file_begin(path);
	int status = EXIT_FAILED;

	if (file) {
		json_put_line(save_file_stream(file), json, JSON_STYLE);
		status = save_file_end(file);
	} else {
		json_decref(json);
	}
	free(path);
	return status;
}

int results_close(struct results *r)
{
	if (!r->settings->output)
		return command_close_stdout();
	bool lost = r->out && (ferror(r->out) | fclose(r->out));

	if (!lost) {
		unfinished_end(r->unfinished);
		return 0;
	}
	int status = fail(r->settings->output);

	unfinished_drop(r->unfinished);
	return status;
}
