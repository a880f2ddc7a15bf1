/* SPDX-License-Identifier: MIT */
/*
 * trace-sample - records the slices that represent a program.
 *
 * Runs trace-record --vectors, trace-simpoint and trace-record --points, or only trace-record
 * --points=online, and sums up their results. All files stay in one folder.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/input_file.h"
#include "cli/common/json_values.h"
#include "cli/common/option_parsers.h"
#include "cli/common/shell_word.h"
#include "cli/common/tracereport.h"
#include "cli/sample/step.h"
#include "cli/sample/validation.h"
#include "traceformat/traceformat.h"

struct options {
	const char *folder;
	uint64_t interval, max_k, warmup;
	bool force, once, validate, quiet;
	enum report_format format;
};

struct sampling {
	const struct options *o;
	char *const *program;
	char *vectors, *points, *plan, *slices; /* file names and prefixes of files */
	char *outputs[4];                       /* standard output of each step */
	off_t input; /* where standard input stood; -1: it cannot be read again */
};

/* ---- the command line -------------------------------------------------------------------- */

OPTION_PARSER(parse_max_k)
{
	enum { MOST = 10000 };

	return parse_count_within(text, 1, MOST, destination);
}

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "output", 'o', "DIR", "folder of all files (default PROGRAM.sample)", option_text,
	  AT(folder) },
	{ "force", 0, NULL, "replace files that exist", option_flag, AT(force) },
	{ "once", 0, NULL, "run the program once, and choose slices while it runs", option_flag,
	  AT(once) },
	{ "interval", 0, "N", "instructions in an interval and a slice (default 100M)",
	  option_positive, AT(interval) },
	{ "max-k", 0, "N",
	  "at most N clusters, with a slice for each (default: as trace-simpoint; with --once 64)",
	  parse_max_k, AT(max_k) },
	{ "warmup", 0, "N", "instructions recorded before a slice (default: 2 intervals)",
	  option_count, AT(warmup) },
	{ "validate", 0, NULL, "compare estimates of the slices with exact numbers", option_flag,
	  AT(validate) },
	{ "quiet", 'q', NULL, "do not show the commands that are run", option_flag, AT(quiet) },
	{ "format", 0, "FMT", "of the summary: text (default), json or csv", option_format,
	  AT(format) },
	COMMAND_OPTIONS,
};

static const struct command trace_sample = {
	.name = "trace-sample",
	.usage = "[options] [--] PROGRAM [ARGUMENT...]\n",
	.summary = "Record the slices that represent a program. The program runs twice.",
	.options = options_table,
	.notes = "Exit status: 0 done, 1 failure, 2 usage, 4 a slice is missing or differs.",
	.example = "trace-sample --interval=10M -o gzip.sample -- gzip -c file",
	.operand_ends_options = true,
};

/* ---- steps ------------------------------------------------------------------------------- */

enum { STEPS = 4, MOST_WORDS = 9, EXIT_RECORDER = 125 };

/* A command line: options, and room for a program and its arguments. */
struct words {
	char **at;
	size_t n;
};

static struct words begin_words(const struct sampling *s)
{
	size_t n = 0;

	while (s->program[n])
		n++;
	return (struct words){ checked_array(n + MOST_WORDS + 3, sizeof(char *)), 1 };
}

/* Adds a word, which the list owns. */
static void add_word(struct words *w, char *word)
{
	w->at[w->n++] = word;
}

static void add_program(struct words *w, const struct sampling *s)
{
	add_word(w, checked_copy("--"));
	for (size_t i = 0; s->program[i]; i++)
		add_word(w, checked_copy(s->program[i]));
}

/* Runs the words, and frees them. Returns the exit status, or -1. */
static int run_words(const struct sampling *s, const char *command, struct words *w, unsigned step)
{
	int status = step_run(command, w->at, s->outputs[step], s->o->quiet);

	for (size_t i = 1; i < w->n; i++)
		free(w->at[i]);
	free(w->at);
	return status;
}

/* Lets the program read the same input again. */
static void rewind_input(const struct sampling *s)
{
	if (s->input >= 0)
		lseek(STDIN_FILENO, s->input, SEEK_SET);
}

/*
 * Returns false after a message if the recorder failed. The program's own status does not matter.
 */
static bool is_recorded(int status)
{
	if (status >= 0 && (status < EXIT_RECORDER || status > EXIT_RECORDER + 2))
		return true;
	command_error("the program could not be recorded");
	return false;
}

static bool count_vectors(const struct sampling *s)
{
	struct words w = begin_words(s);

	add_word(&w, checked_copy("--vectors"));
	add_word(&w, text_format("--interval=%" PRIu64, s->o->interval));
	add_word(&w, checked_copy("--boundary=loop"));
	add_word(&w, checked_copy("--quiet"));
	if (s->o->force)
		add_word(&w, checked_copy("--force"));
	add_word(&w, text_format("--output=%s", s->vectors));
	add_program(&w, s);
	return is_recorded(run_words(s, "trace-record", &w, 0));
}

static bool choose_points(const struct sampling *s)
{
	struct words w = begin_words(s);

	if (s->o->max_k)
		add_word(&w, text_format("--max-k=%" PRIu64, s->o->max_k));
	add_word(&w, text_format("--output=%s", s->points));
	add_word(&w, checked_copy(s->vectors));
	if (run_words(s, "trace-simpoint", &w, 1) == EXIT_DONE)
		return true;
	command_error("no points could be chosen");
	return false;
}

/* Returns the exit status of the recorder. */
static int record_slices(const struct sampling *s)
{
	struct words w = begin_words(s);

	add_word(&w, text_format("--points=%s", s->o->once ? "online" : s->plan));
	if (s->o->once)
		add_word(&w, text_format("--interval=%" PRIu64, s->o->interval));
	if (s->o->once && s->o->max_k)
		add_word(&w, text_format("--max-k=%" PRIu64, s->o->max_k));
	if (s->o->warmup != UINT64_MAX)
		add_word(&w, text_format("--warmup=%" PRIu64, s->o->warmup));
	if (s->o->force)
		add_word(&w, checked_copy("--force"));
	if (s->o->quiet)
		add_word(&w, checked_copy("--quiet"));
	add_word(&w, text_format("--output=%s", s->slices));
	add_program(&w, s);
	rewind_input(s);
	return run_words(s, "trace-record", &w, 2);
}

/* ---- the summary ------------------------------------------------------------------------- */

/* Returns 0 if there is no such number. */
static uint64_t number_of(const json_t *object, const char *key)
{
	uint64_t number = 0;

	json_read_number(object, key, &number);
	return number;
}

/* Returns a META number of an open slice, or NaN. */
static double meta_real(struct tf_reader *reader, const char *key)
{
	const char *text = reader ? tf_meta(reader, key) : NULL;

	return text ? strtod(text, NULL) : NAN;
}

/*
 * Opens the slice of a point; NULL if it is missing. Slices have the numbers of clusters, or of
 * points.
 */
static struct tf_reader *open_slice(const struct sampling *s, const json_t *point, size_t i,
				    char **path)
{
	uint64_t numbers[] = { number_of(point, "cluster"), i };
	struct tf_reader *reader = NULL;
	struct tf_error error;

	for (unsigned k = 0; k < 2; k++) {
		*path = text_format("%s.%" PRIu64 ".trace", s->slices, numbers[k]);
		if (access(*path, R_OK) == 0 && tf_open(*path, &reader, &error) == 0 &&
		    meta_real(reader, "slice.interval") == json_read_real(point, "interval"))
			return reader;
		tf_close(reader);
		reader = NULL;
		free(*path);
	}
	*path = NULL;
	return NULL;
}

/* ---- validation -------------------------------------------------------------------------- */

/* Returns false after a message if exact numbers of what the vectors count are not known. */
static bool can_validate(const json_t *plan)
{
	uint64_t all = number_of(plan, "instructions"), filtered = number_of(plan, "filtered");

	if (all == filtered)
		return true;
	command_warning("not validated: %.3g %% of the instructions synchronize threads and are "
			"excluded from the vectors, but not from the numbers of the program",
			100 * (1 - (double)filtered / (double)all));
	return false;
}

/* Estimates what the vectors count exactly. Returns false after a message. */
static bool validate(const struct sampling *s, const json_t *plan, struct validation *validation)
{
	const json_t *points = json_object_get(plan, "points"), *point;
	struct words w = { checked_array(json_array_size(points) + MOST_WORDS, sizeof(char *)), 1 };
	size_t i;

	add_word(&w, checked_copy("--run=mix --quiet --by=class"));
	add_word(&w, text_format("--plan=%s", s->plan));
	add_word(&w, text_format("--whole=%s", s->vectors));
	add_word(&w, checked_copy("--renormalise"));
	add_word(&w, checked_copy("--quiet"));
	add_word(&w, checked_copy("--format=json"));
	json_array_foreach ((json_t *)points, i, point) {
		char *path;

		tf_close(open_slice(s, point, i, &path));
		if (path)
			add_word(&w, path);
	}
	if (run_words(s, "trace-extrapolate", &w, 3) == EXIT_DONE)
		return validation_read(validation, s->outputs[3]);
	command_error("the slices could not be validated");
	return false;
}

static struct report_cell real_cell(double value)
{
	return (struct report_cell){ .known = !isnan(value), .f64 = value };
}

static void put_point(const struct sampling *s, const json_t *point, size_t i, struct report *r)
{
	char *path;
	struct tf_reader *reader = open_slice(s, point, i, &path);
	double drift = meta_real(reader, "slice.drift");

	report_row_of_cells(r, (const struct report_cell[]){
				       { .known = true, .u64 = number_of(point, "cluster") },
				       { .known = true, .u64 = number_of(point, "interval") },
				       real_cell(json_read_real(point, "weight")),
				       real_cell(json_read_real(point, "multiplier")),
				       { .known = true, .u64 = number_of(point, "intervals") },
				       real_cell(100 * json_read_real(point, "distance")),
				       real_cell(100 * meta_real(reader, "slice.match")),
				       real_cell(drift),
				       { .known = path != NULL, .string = path },
			       });
	tf_close(reader);
	free(path);
}

static void put_online(const json_t *plan, struct report *r)
{
	report_f64(r, "represented", "%", json_read_real(plan, "represented"));
	report_f64(r, "sketch_error", "%", json_read_real(plan, "sketch_error"));
	report_define(r, "represented", "part of the program in clusters that have a slice");
	report_define(r, "sketch_error",
		      "difference between the program and the weighted sum of the slices, by their "
		      "projections to 64 dimensions");
}

static void put_summary(const struct sampling *s, const json_t *plan,
			const struct validation *validation)
{
	static const struct report_column columns[] = {
		{ "cluster", REPORT_ID, "" },       { "interval", REPORT_ID, "" },
		{ "weight", REPORT_F64, "" },       { "multiplier", REPORT_F64, "" },
		{ "intervals", REPORT_U64, "" },    { "distance", REPORT_F64, "percent" },
		{ "match", REPORT_F64, "percent" }, { "drift", REPORT_F64, "instructions" },
		{ "slice", REPORT_STRING, "" },     { NULL, 0, NULL },
	};
	const json_t *points = json_object_get(plan, "points"), *point;
	struct report *r = report_begin(stdout, s->o->format);
	size_t i;

	report_u64(r, "instructions", "", number_of(plan, "instructions"));
	report_u64(r, "interval_size", "instructions", number_of(plan, "interval_size"));
	report_u64(r, "intervals", "", number_of(plan, "intervals"));
	report_u64(r, "clusters", "", number_of(plan, "clusters"));
	if (s->o->once)
		put_online(plan, r);
	else
		report_f64(r, "vector_error", "%", json_read_real(plan, "vector_error"));
	report_f64(r, "mean_distance", "%", json_read_real(plan, "mean_distance"));
	if (validation->result)
		validation_put_mix(validation, r);
	if (!s->o->once)
		report_define(
			r, "vector_error",
			"difference between the vector of the program and the weighted sum of the "
			"points' vectors; errors of estimates are usually not smaller");
	report_define(r, "mean_distance",
		      "mean difference between the vector of an interval and that of its point");
	report_table(r, "points", columns);
	json_array_foreach ((json_t *)points, i, point)
		put_point(s, point, i, r);
	json_array_foreach (json_object_get(plan, "missing"), i, point)
		put_point(s, point, i, r);
	if (validation->result)
		validation_put_counts(validation, r);
	report_end(r);
}

/* ---- slices that are missing or differ --------------------------------------------------- */

/* Returns true if the point has a slice that executes the same code as in the first run. */
static bool has_slice(const struct sampling *s, const json_t *point, size_t i)
{
	static const double least_match = 0.95; /* as trace-record accepts */
	char *path;
	struct tf_reader *reader = open_slice(s, point, i, &path);
	bool found = reader && !(meta_real(reader, "slice.match") < least_match);

	tf_close(reader);
	free(path);
	return found;
}

static bool has_all_slices(const struct sampling *s, const json_t *plan)
{
	const json_t *point;
	size_t i;

	json_array_foreach (json_object_get(plan, "points"), i, point) {
		if (!has_slice(s, point, i))
			return false;
	}
	return true;
}

/* Returns the numbers of the points' clusters, separated by commas. The caller frees the text. */
static char *cluster_names(const json_t *points)
{
	const json_t *point;
	char *names = NULL;
	size_t i, size;
	FILE *out = checked(open_memstream(&names, &size));

	json_array_foreach ((json_t *)points, i, point)
		fprintf(out, "%s%" PRIu64, i ? ", " : "", number_of(point, "cluster"));
	checked(fclose(out) == 0 ? names : NULL);
	return names;
}

/* Names the clusters without a slice that --once leaves. Returns true if there are none. */
static bool report_missing(const struct sampling *s, const json_t *plan)
{
	const json_t *missing = json_object_get(plan, "missing");
	size_t n = json_array_size(missing);
	char *names, *slices;

	if (!n)
		return true;
	names = cluster_names(missing);
	slices = shell_word(s->slices);
	command_warning("cluster%s %s, %.3g %% of the program, %s no slice; trace-record "
			"--points=%s.missing.json -o %s -- PROGRAM records %s in a second run",
			n == 1 ? "" : "s", names, 100 - json_read_real(plan, "represented"),
			n == 1 ? "has" : "have", slices, slices, n == 1 ? "it" : "them");
	free(slices);
	free(names);
	return false;
}

/* ---- the whole --------------------------------------------------------------------------- */

static int sample(const struct sampling *s)
{
	struct validation validation = { 0 };
	json_t *plan;
	int status;
	bool done, complete;

	if (!s->o->once && (!count_vectors(s) || !choose_points(s)))
		return EXIT_FAILED;
	status = record_slices(s);
	if (!is_recorded(status))
		return EXIT_FAILED;
	plan = json_file_read(s->plan, "a plan: JSON of trace-simpoint");
	if (!plan)
		return EXIT_FAILED;
	done = !s->o->validate || !can_validate(plan) || validate(s, plan, &validation);
	put_summary(s, plan, &validation);
	complete = has_all_slices(s, plan);
	complete &= report_missing(s, plan);
	validation_free(&validation);
	json_decref(plan);
	if (!done)
		return EXIT_FAILED;
	status = command_close_stdout();
	return status == EXIT_DONE && !complete ? EXIT_MISSED : status;
}

static bool make_folder(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return true;
	command_error("%s: %m", path);
	return false;
}

static int run(const struct options *o, char *const *program)
{
	static const char *const outputs[STEPS] = { "vectors.out", "points.txt", "slices.out",
						    "validation.json" };
	char *folder = o->folder ? checked_copy(o->folder)
				 : text_format("%s.sample", base_name(program[0]));
	struct sampling s = {
		.o = o,
		.program = program,
		.vectors = text_format("%s/vectors.trace", folder),
		.points = text_format("%s/points", folder),
		.plan = text_format("%s/%s.json", folder, o->once ? "slice" : "points"),
		.slices = text_format("%s/slice", folder),
		.input = lseek(STDIN_FILENO, 0, SEEK_CUR),
	};
	int status = EXIT_FAILED;

	for (unsigned i = 0; i < STEPS; i++)
		s.outputs[i] = text_format("%s/%s", folder, outputs[i]);
	if (make_folder(folder))
		status = sample(&s);
	for (unsigned i = 0; i < STEPS; i++)
		free(s.outputs[i]);
	free(s.vectors);
	free(s.points);
	free(s.plan);
	free(s.slices);
	free(folder);
	return status;
}

int main(int argc, char **argv)
{
	enum { DEFAULT_INTERVAL = 100000000 };
	struct options o = { .interval = DEFAULT_INTERVAL, .warmup = UINT64_MAX };
	int status;

	command_init("trace-sample");
	status = command_parse(&trace_sample, &o, argc, argv);
	if (status != OPTION_DONE)
		return status;
	if (optind == argc)
		return command_usage_error("no program given");
	if (o.once && o.validate)
		return command_usage_error(
			"--validate needs the vectors of the whole program, which --once does not record");
	return run(&o, argv + optind);
}
