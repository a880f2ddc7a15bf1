/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/plan_file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/json_values.h"
#include "cli/common/plan_marker.h"
#include "cli/common/unpack.h"
#include "traceformat/common/sorted.h"

#define PLAN_FILE "simulation points: JSON of trace-simpoint, a region CSV, or a .simpts file"

/* A file with more points has none that are meant: what is read may have no end. */
enum { MAX_POINTS = 1 << 20 };

/* Returns NULL if there are too many. */
static struct plan_point *add_point(struct plan *plan)
{
	if (plan->n == MAX_POINTS)
		return NULL;
	CHECKED_RESERVE(*plan, plan->n + 1);
	plan->at[plan->n] = (struct plan_point){
		.cluster = UINT64_MAX,
		.interval = UINT64_MAX,
		.weight = NAN,
		.multiplier = NAN,
	};
	return &plan->at[plan->n++];
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		marker_free(&plan->at[i].first);
		marker_free(&plan->at[i].behind);
	}
	free(plan->at);
	*plan = (struct plan){ 0 };
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Reads a number that is the whole text; base: see strtoull. Returns false for another text. */
static bool take_number(const char *text, int base, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, base);
	return *text >= '0' && *text <= '9' && !*end && errno == 0;
}

/* ---- JSON -------------------------------------------------------------------------------- */

/*
 * Reads a marker; null is the program's begin or end. Returns false if there is none, or if it is
 * no marker.
 */
static bool get_marker(const json_t *point, const char *key, struct marker *marker)
{
	struct plan_marker found;

	if (!plan_marker_read(json_object_get(point, key), &found))
		return false;
	marker->pc = found.pc;
	marker->offset = found.offset;
	marker->count = found.count;
	marker->module = checked_copy(found.module);
	marker->build_id = checked_copy(found.build_id);
	return true;
}

static bool take_json_point(const json_t *object, struct plan *plan)
{
	struct plan_point *point = add_point(plan);

	if (!point)
		return false;
	return json_read_optional_real(object, "weight", &point->weight) &&
	       json_read_optional_real(object, "multiplier", &point->multiplier) &&
	       !(point->weight < 0) && !(point->multiplier < 0) &&
	       json_read_number(object, "cluster", &point->cluster) &&
	       json_read_number(object, "interval", &point->interval) &&
	       json_read_number(object, "start", &point->start) &&
	       json_read_number(object, "end", &point->end) && point->end >= point->start;
}

/* Reads the markers of all points. Returns false if one has none. */
static bool take_json_markers(const json_t *points, struct plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		const json_t *point = json_array_get(points, i);

		if (!get_marker(point, "first", &plan->at[i].first) ||
		    !get_marker(point, "behind", &plan->at[i].behind))
			return false;
	}
	return true;
}

static void get_origin(const json_t *root, struct origin *origin)
{
	static const char *const names[ORIGIN_IDS] = { [ORIGIN_OWN] = "uuid",
						       [ORIGIN_REPACKED] = "repacked_from",
						       [ORIGIN_REPAIRED] = "repaired_from" };

	for (int i = 0; i < ORIGIN_IDS; i++)
		origin_set(origin, i, json_read_text(root, names[i]));
}

/* A file whose first line has been read. */
struct begun {
	const char *line;
	FILE *in;
};

/* Reads what holds for all points. Returns false if a member is not of its type. */
static bool take_settings(const json_t *root, struct plan *plan)
{
	const json_t *counter = json_object_get(root, "counter");
	const char *word = json_string_value(counter);

	plan->exact = word && !strcmp(word, "exact");
	return (!counter || plan->exact || (word && !strcmp(word, "exp-bbv"))) &&
	       json_read_optional_number(root, "thread", &plan->thread) &&
	       json_read_optional_number(root, "interval_size", &plan->interval_size);
}

static size_t read_begun(void *bytes, size_t size, void *opaque)
{
	struct begun *begun = opaque;
	size_t n = strnlen(begun->line, size);

	memcpy(bytes, begun->line, n);
	begun->line += n;
	return n ? n : fread(bytes, 1, size, begun->in);
}

static bool read_json(const char *path, FILE *in, const char *first, struct plan *plan)
{
	struct begun begun = { first, in };
	json_error_t error;
	json_t *root = json_load_callback(read_begun, &begun, JSON_REJECT_DUPLICATES, &error);
	json_t *points = json_object_get(root, "points");
	bool good = json_is_array(points) && take_settings(root, plan);

	if (!root) {
		command_error("%s, line %d: %s", path, error.line, error.text);
		return false;
	}
	for (size_t i = 0; good && i < json_array_size(points); i++)
		good = take_json_point(json_array_get(points, i), plan);
	get_origin(root, &plan->origin);
	plan->of_vectors = json_object_get(root, "profile");
	plan->global = plan->of_vectors || /* counts are of all threads */
		       json_object_get(root, "thread_vectors");
	plan->has_markers = good && plan->of_vectors && take_json_markers(points, plan);
	plan->counted = !json_object_get(root, "trace");
	json_decref(root);
	if (good && plan->of_vectors && !plan->has_markers) {
		command_error(
			"%s: has points of a run that recorded vectors, but no addresses to find "
			"them by in another run; record the vectors again",
			path);
		return false;
	}
	if (!good)
		command_error("%s: is not a file of trace-simpoint --save-json", path);
	return good;
}

/* ---- CSV --------------------------------------------------------------------------------- */

enum { MAX_FIELDS = 32 };

static unsigned split(char *line, char *fields[MAX_FIELDS])
{
	unsigned n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (n < MAX_FIELDS && (fields[n] = strsep(&line, ",")))
		n++;
	return n;
}

/* The columns that matter. */
/* clang-format off */
enum column {
	COMMENT, THREAD, START, END, WEIGHT, START_PC, START_COUNT, END_PC, END_COUNT, TYPE, N_COLUMNS,
};
/* clang-format on */

struct csv_file {
	unsigned columns[N_COLUMNS]; /* MAX_FIELDS: there is none */
	bool has_head;
	bool from_one; /* instructions count from 1, as in PinPoints' files */
};

static bool has(const struct csv_file *csv, enum column column)
{
	return csv->columns[column] < MAX_FIELDS;
}

static bool find_columns(char *head, struct csv_file *csv)
{
	static const char *const known[N_COLUMNS] = { [COMMENT] = "comment",
						      [THREAD] = "thread-id",
						      [START] = "simulation-region-start-icount",
						      [END] = "simulation-region-end-icount",
						      [WEIGHT] = "region-weight",
						      [START_PC] = "start-pc",
						      [START_COUNT] = "start-pc-count",
						      [END_PC] = "end-pc",
						      [END_COUNT] = "end-pc-count",
						      [TYPE] = "region-type" };
	char *names[MAX_FIELDS];
	unsigned n = split(head, names);

	for (unsigned c = 0; c < N_COLUMNS; c++)
		csv->columns[c] = MAX_FIELDS;
	for (unsigned i = 0; i < n; i++)
		for (unsigned c = 0; c < N_COLUMNS; c++)
			if (!strcmp(names[i] + strspn(names[i], "# "), known[c]))
				csv->columns[c] = i;
	csv->has_head = true;
	return has(csv, WEIGHT) && ((has(csv, START) && has(csv, END)) ||
				    (has(csv, START_PC) && has(csv, START_COUNT) &&
				     has(csv, END_PC) && has(csv, END_COUNT)));
}

static bool take_weight(const char *text, double *weight)
{
	char *end;

	*weight = strtod(text, &end);
	return end > text && !*end && *weight >= 0 && isfinite(*weight);
}

/* Sets the fields of a line by column, "" where there is none. */
static bool take_fields(char *line, const struct csv_file *csv, const char *values[N_COLUMNS])
{
	char *fields[MAX_FIELDS];
	unsigned n = split(line, fields);

	for (unsigned c = 0; c < N_COLUMNS; c++) {
		if (has(csv, c) && csv->columns[c] >= n)
			return false;
		values[c] = has(csv, c) ? fields[csv->columns[c]] : "";
	}
	return true;
}

static bool take_thread(const char *text, struct plan *plan)
{
	uint64_t thread;

	plan->global |= !strcmp(text, "global");
	if (!take_number(text, 10, &thread))
		return true;
	if (plan->thread != UINT64_MAX && plan->thread != thread)
		return false;
	plan->thread = thread;
	return true;
}

/* PinPoints' first instruction is 1, but 0 for the first slice; the last belongs to the region. */
static bool take_bounds(const char *const values[N_COLUMNS], bool from_one,
			struct plan_point *point)
{
	if (!take_number(values[START], 10, &point->start) ||
	    !take_number(values[END], 10, &point->end))
		return false;
	if (from_one && point->start)
		point->start--;
	return point->end >= point->start;
}

static bool take_markers(const char *const values[N_COLUMNS], struct plan_point *point)
{
	const struct marker *first = &point->first;

	return take_number(values[START_PC], 0, &point->first.pc) &&
	       take_number(values[START_COUNT], 10, &point->first.count) &&
	       (first->count || !first->pc) && /* 0 of 0: the program's begin */
	       take_number(values[END_PC], 0, &point->behind.pc) &&
	       take_number(values[END_COUNT], 10, &point->behind.count);
}

static bool take_csv_line(char *line, const struct csv_file *csv, struct plan *plan)
{
	const char *values[N_COLUMNS];
	struct plan_point *point;

	if (!take_fields(line, csv, values))
		return false;
	if (!strncmp(values[TYPE], "warmup", 6)) /* trace-cut has --warmup */
		return true;
	point = add_point(plan);
	if (!point || !take_weight(values[WEIGHT], &point->weight) ||
	    !take_thread(values[THREAD], plan))
		return false;
	sscanf(values[COMMENT], "cluster %" SCNu64 " from slice %" SCNu64, &point->cluster,
	       &point->interval);
	plan->has_markers = !has(csv, START);
	return plan->has_markers ? take_markers(values, point)
				 : take_bounds(values, csv->from_one, point);
}

static bool take_any_line(char *line, struct csv_file *csv, struct plan *plan)
{
	static const char based[] = "# Regions based on", head[] = "comment,";

	if (!strncmp(line, based, sizeof(based) - 1)) {
		csv->from_one = true;
		return true;
	}
	if (!strncasecmp(line + strspn(line, "# "), head, sizeof(head) - 1))
		return find_columns(line, csv);
	if (*line == '#' || !line[strspn(line, " \r\n")])
		return true;
	return csv->has_head && take_csv_line(line, csv, plan);
}

/* Reads a CSV file, whose first line has been read. Returns false after a message. */
static bool read_csv(FILE *in, char *first, struct plan *plan)
{
	struct csv_file csv = { .has_head = false };
	char *line = NULL;
	size_t room = 0;
	bool good = take_any_line(first, &csv, plan);

	while (good && read_line(&line, &room, in) > 0)
		good = take_any_line(line, &csv, plan);
	good = good && !errno && csv.has_head;
	free(line);
	return good;
}

/* ---- .simpts ----------------------------------------------------------------------------- */

/* Takes the two words of a line. Returns 0 for an empty line, and -1 if there are not two words. */
static int take_words(char *line, char *words[2])
{
	static const char blanks[] = " \t\r\n";
	char *rest;

	words[0] = strtok_r(line, blanks, &rest);
	if (!words[0])
		return 0;
	words[1] = strtok_r(NULL, blanks, &rest);
	return words[1] && !strtok_r(NULL, blanks, &rest) ? 2 : -1;
}

static bool take_simpts_line(char *line, struct plan *plan)
{
	char *words[2];
	int n = take_words(line, words);
	struct plan_point *point = n == 2 ? add_point(plan) : NULL;

	return !n || (point && take_number(words[0], 10, &point->interval) &&
		      take_number(words[1], 10, &point->cluster));
}

/* Reads a .simpts file, whose first line has been read. */
static bool read_simpts(FILE *in, char *first, struct plan *plan)
{
	char *line = NULL;
	size_t room = 0;
	bool good = take_simpts_line(first, plan);

	while (good && read_line(&line, &room, in) > 0)
		good = take_simpts_line(line, plan);
	free(line);
	plan->counted = true;
	return good && !errno;
}

/* A line of a .weights file. */
struct cluster_weight {
	uint64_t cluster;
	size_t line;
	double weight;
};

struct cluster_weights {
	struct cluster_weight *at;
	size_t count, capacity;
};

static int compare_cluster_weights(const void *a, const void *b)
{
	const struct cluster_weight *x = a, *y = b;

	if (x->cluster != y->cluster)
		return x->cluster < y->cluster ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Returns the last line of a cluster, or NULL. */
static const struct cluster_weight *find_cluster(const struct cluster_weights *weights,
						 uint64_t cluster)
{
	size_t end = PARTITION_POINT(weights->at, weights->count, line, line->cluster <= cluster);

	return end && weights->at[end - 1].cluster == cluster ? &weights->at[end - 1] : NULL;
}

static void weigh_points(struct plan *plan, const struct cluster_weights *weights)
{
	for (size_t i = 0; i < plan->n; i++) {
		const struct cluster_weight *line = find_cluster(weights, plan->at[i].cluster);

		if (line)
			plan->at[i].weight = line->weight;
	}
}

static bool read_weights(const char *path, struct plan *plan)
{
	struct cluster_weights weights = { 0 };
	char *line = NULL, *words[2];
	size_t room = 0;
	bool good = true;
	FILE *in = expect_file(path, "a .weights file", ACCEPT_COMPRESSED) ? unpack_text(path)
									   : NULL;

	if (!in)
		return false;
	while (good && read_line(&line, &room, in) > 0) {
		struct cluster_weight weight = { .line = weights.count };
		int n = take_words(line, words);

		good = !n || (n == 2 && take_weight(words[0], &weight.weight) &&
			      take_number(words[1], 10, &weight.cluster));
		if (!good || !n)
			continue;
		CHECKED_RESERVE(weights, weights.count + 1);
		weights.at[weights.count++] = weight;
	}
	good = good && !errno;
	free(line);
	fclose(in);
	if (weights.count)
		qsort(weights.at, weights.count, sizeof(*weights.at), compare_cluster_weights);
	weigh_points(plan, &weights);
	free(weights.at);
	if (!good)
		command_error("%s: is not a .weights file", path);
	return good;
}

/* "x.weights" for "x.simpts", if it is there. */
static bool read_weights_beside(const char *path, struct plan *plan)
{
	size_t stem = strlen(path);
	char *name;
	bool good;

	if (stem > 7 && !strcmp(path + stem - 7, ".simpts"))
		stem -= 7;
	name = text_format("%.*s.weights", (int)stem, path);
	good = access(name, F_OK) < 0 || read_weights(name, plan);
	free(name);
	return good;
}

bool plan_read(const char *path, const char *weights, struct plan *plan)
{
	FILE *in = expect_file(path, PLAN_FILE, ACCEPT_COMPRESSED | ACCEPT_JSON | ACCEPT_REGIONS)
			   ? unpack_text(path)
			   : NULL;
	char *line = NULL;
	size_t size = 0;
	bool good, simpts = false;

	*plan = (struct plan){ .thread = UINT64_MAX };
	if (!in)
		return false;
	if (read_line(&line, &size, in) < 0) {
		const char *wrong = read_line_fault();

		if (!ferror(in))
			command_error("%s: %s", path, wrong ? wrong : "is empty");
		fclose(in);
		free(line);
		return false;
	}
	if (line[strspn(line, " \t\r\n")] == '{') {
		good = read_json(path, in, line, plan);
	} else {
		simpts = line[0] >= '0' && line[0] <= '9';
		good = simpts ? read_simpts(in, line, plan) : read_csv(in, line, plan);
		if (!good)
			command_error("%s: is not " PLAN_FILE, path);
	}
	fclose(in);
	free(line);
	if (good && simpts)
		good = weights ? read_weights(weights, plan) : read_weights_beside(path, plan);
	else if (good && weights)
		good = read_weights(weights, plan);
	if (good && plan->n == 0) {
		command_error("%s: has no points", path);
		good = false;
	}
	if (!good)
		plan_free(plan);
	return good;
}
