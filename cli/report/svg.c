/* SPDX-License-Identifier: MIT */
#include "cli/report/svg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/escape.h"
#include "cli/common/jobs.h"
#include "cli/common/output_trace.h"
#include "cli/common/save_file.h"
#include "cli/report/chart_script.h"
#include "cli/report/charts.h"
#include "cli/report/flame_svg.h"

/* ---- files --------------------------------------------------------------------------------- */

static char *path_of(const char *folder, const struct chart *chart, const char *extension)
{
	return text_format("%s/%s.%s", folder, chart->name, extension);
}

int check_chart_files(const char *folder, const char *trace, bool force)
{
	static const char *const extensions[] = { "csv", "svg", "gnuplot" };
	enum { N_EXTENSIONS = sizeof(extensions) / sizeof(*extensions) };
	int status = EXIT_DONE;

	for (size_t i = 0; !status && i < n_charts * N_EXTENSIONS; i++) {
		char *path = path_of(folder, &charts[i / N_EXTENSIONS],
				     extensions[i % N_EXTENSIONS]);

		status = check_output_trace(trace, path, force);
		free(path);
	}
	return status;
}

static int make_folder(const char *path)
{
	struct stat status;

	if (mkdir(path, 0777) == 0)
		return EXIT_DONE;
	if (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return EXIT_DONE;
	command_error("cannot make the folder %s: %m", path);
	return EXIT_FAILED;
}

static void put_value(FILE *out, const json_t *value)
{
	if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.10g", json_real_value(value));
	else if (json_is_string(value))
		put_csv(out, json_string_value(value));
}

static void put_line(FILE *out, const json_t *values)
{
	json_t *value;
	size_t i;

	json_array_foreach ((json_t *)values, i, value) {
		if (i)
			putc(',', out);
		put_value(out, value);
	}
	putc('\n', out);
}

static void write_csv(FILE *out, const struct chart *chart, const json_t *table)
{
	json_t *row;
	size_t i;

	(void)chart;
	put_line(out, json_object_get(table, "columns"));
	json_array_foreach (json_object_get(table, "rows"), i, row)
		put_line(out, row);
}

static int save(const char *folder, const struct chart *chart, const char *extension,
		void (*write)(FILE *, const struct chart *, const json_t *), const json_t *table)
{
	char *path = path_of(folder, chart, extension);
	struct save_file *file = save_file_begin(path);
	int status = EXIT_FAILED;

	if (file) {
		write(save_file_stream(file), chart, table);
		status = save_file_end(file);
	}
	free(path);
	return status;
}

/* ---- gnuplot ------------------------------------------------------------------------------- */

/* Returns the absolute path of gnuplot, or NULL if no folder of PATH has the program. Free it. */
static char *find_gnuplot(void)
{
	const char *folders = getenv("PATH");
	char *found = NULL;

	while (folders && *folders && !found) {
		size_t length = strcspn(folders, ":");
		char *path = text_format("%.*s%sgnuplot", (int)length, folders, length ? "/" : "");

		if (access(path, X_OK) == 0)
			found = realpath(path, NULL);
		free(path);
		folders += length + (folders[length] == ':');
	}
	return found;
}

/* Saves what gnuplot has drawn. Returns EXIT_DONE, or EXIT_FAILED after a message. */
static int keep_picture(const char *folder, const struct chart *chart, struct job *job)
{
	char *path = path_of(folder, chart, "svg"), buffer[1 << 14];
	struct save_file *file = NULL;
	int status = EXIT_FAILED;
	size_t n;

	if (!job_ended_with(job, 0) || ftell(job->output) <= 0)
		command_error(
			"gnuplot cannot draw %s; run 'gnuplot %s.gnuplot' in %s for the reason",
			path, chart->name, folder);
	else
		file = save_file_begin(path);
	if (file) {
		rewind(job->output);
		while ((n = fread(buffer, 1, sizeof(buffer), job->output)) > 0)
			fwrite(buffer, 1, n, save_file_stream(file));
		status = save_file_end(file);
	}
	free(path);
	return status;
}

/* Lets gnuplot run the scripts. drawn: the charts that have a script. */
static int draw(const char *folder, const struct chart *const *drawn, size_t count)
{
	struct job *jobs = checked_array(count, sizeof(*jobs));
	char *gnuplot = find_gnuplot(), *(*words)[4] = checked_array(count, sizeof(*words));
	int status = EXIT_FAILED;

	for (size_t i = 0; i < count; i++) {
		words[i][0] = gnuplot;
		words[i][1] = (char *)"-d"; /* without the user's settings */
		words[i][2] = text_format("%s.gnuplot", drawn[i]->name);
		jobs[i].arguments = words[i];
		jobs[i].directory = folder;
		jobs[i].keeps_output = true;
	}
	if (gnuplot)
		status = run_jobs(jobs, count, 0, "drawing", true);
	else
		command_error(
			"gnuplot, which draws the charts, is missing: install the package gnuplot-nox; %s has the data as CSV",
			folder);
	for (size_t i = 0; gnuplot && i < count; i++) {
		if (jobs[i].pid && keep_picture(folder, drawn[i], &jobs[i]))
			status = EXIT_FAILED;
	}
	for (size_t i = 0; i < count; i++) {
		job_close(&jobs[i]);
		free(words[i][2]);
	}
	free(words);
	free(gnuplot);
	free(jobs);
	return status;
}

/* ---- all charts ---------------------------------------------------------------------------- */

/* Writes the files that need no gnuplot. */
static int write_files(const char *folder, const struct chart *chart, const json_t *table)
{
	int status = save(folder, chart, "csv", write_csv, table);

	if (!status && is_flame_graph(chart))
		status = save(folder, chart, "svg", write_flame_svg, table);
	else if (!status)
		status = save(folder, chart, "gnuplot", write_chart_script, table);
	return status;
}

int write_charts(const char *folder, const json_t *document)
{
	const struct chart **drawn = checked_array(n_charts, sizeof(*drawn));
	int status = make_folder(folder);
	size_t count = 0, n_tables = 0;

	for (size_t i = 0; !status && i < n_charts; i++) {
		json_t *table = chart_table(&charts[i], document);

		if (!table)
			continue;
		n_tables++;
		status = write_files(folder, &charts[i], table);
		if (!is_flame_graph(&charts[i]))
			drawn[count++] = &charts[i];
		json_decref(table);
	}
	if (!status && !n_tables) {
		command_error("the results have no chart");
		status = EXIT_FAILED;
	}
	if (!status && count)
		status = draw(folder, drawn, count);
	free(drawn);
	return status;
}
