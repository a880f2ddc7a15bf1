/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/plan_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/open_input.h"

static struct plan_point *add_point(struct plan *plan)
{
	plan->at = checked(reallocarray(plan->at, plan->n + 1, sizeof(*plan->at)));
	plan->at[plan->n] = (struct plan_point){
		.cluster = UINT64_MAX, .interval = UINT64_MAX, .weight = NAN,
	};
	return &plan->at[plan->n++];
}

void plan_free(struct plan *plan)
{
	free(plan->at);
	*plan = (struct plan){ 0 };
}

/* ---- JSON -------------------------------------------------------------------------------- */

static bool get_number(const json_t *object, const char *key, uint64_t *value)
{
	const json_t *number = json_object_get(object, key);

	if (!json_is_integer(number) || json_integer_value(number) < 0)
		return false;
	*value = (uint64_t)json_integer_value(number);
	return true;
}

static bool take_json_point(const json_t *object, struct plan *plan)
{
	struct plan_point *point = add_point(plan);
	const json_t *weight = json_object_get(object, "weight");

	if (json_is_number(weight))
		point->weight = json_number_value(weight);
	return get_number(object, "cluster", &point->cluster) &&
	       get_number(object, "interval", &point->interval) &&
	       get_number(object, "start", &point->start) &&
	       get_number(object, "end", &point->end) && point->end >= point->start;
}

static void get_origin(const json_t *root, struct origin *origin)
{
	static const char *const names[ORIGIN_IDS] = {
		[ORIGIN_OWN] = "uuid", [ORIGIN_REPACKED] = "repacked_from",
		[ORIGIN_REPAIRED] = "repaired_from",
	};

	for (int i = 0; i < ORIGIN_IDS; i++)
		origin_set(origin, i, json_string_value(json_object_get(root, names[i])));
}

static bool read_json(const char *path, struct plan *plan)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error), *points = json_object_get(root, "points");
	const char *counter = json_string_value(json_object_get(root, "counter"));
	bool good = json_is_array(points);

	if (!root) {
		command_error("%s, line %d: %s", path, error.line, error.text);
		return false;
	}
	for (size_t i = 0; good && i < json_array_size(points); i++)
		good = take_json_point(json_array_get(points, i), plan);
	get_number(root, "thread", &plan->thread);
	get_number(root, "interval_size", &plan->interval_size);
	get_origin(root, &plan->origin);
	plan->exact = counter && !strcmp(counter, "exact");
	plan->counted = !json_object_get(root, "trace");
	json_decref(root);
	if (!good)
		command_error("%s: is not what trace-simpoint --save-json writes", path);
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

/* Where the columns are that matter. */
struct csv_columns { unsigned comment, thread, start, end, weight; };

static bool find_columns(char *head, struct csv_columns *c)
{
	char *names[MAX_FIELDS];
	unsigned n = split(head, names), none = MAX_FIELDS;

	*c = (struct csv_columns){ none, none, none, none, none };
	for (unsigned i = 0; i < n; i++) {
		const char *name = names[i] + strspn(names[i], "# ");

		if (!strcmp(name, "comment"))
			c->comment = i;
		else if (!strcmp(name, "thread-id"))
			c->thread = i;
		else if (!strcmp(name, "simulation-region-start-icount"))
			c->start = i;
		else if (!strcmp(name, "simulation-region-end-icount"))
			c->end = i;
		else if (!strcmp(name, "region-weight"))
			c->weight = i;
	}
	return c->start < n && c->end < n && c->weight < n;
}

static bool take_number(const char *text, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 10);
	return end > text && !*end;
}

static bool take_csv_line(char *line, const struct csv_columns *c, struct plan *plan)
{
	struct plan_point *point = add_point(plan);
	char *fields[MAX_FIELDS], *end;
	unsigned n = split(line, fields);
	uint64_t thread;

	if (c->start >= n || c->end >= n || c->weight >= n ||
	    !take_number(fields[c->start], &point->start) ||
	    !take_number(fields[c->end], &point->end) || point->end < point->start)
		return false;
	point->weight = strtod(fields[c->weight], &end);
	if (c->thread < n && take_number(fields[c->thread], &thread)) {
		if (plan->thread != UINT64_MAX && plan->thread != thread)
			return false;
		plan->thread = thread;
	}
	if (c->comment < n)
		sscanf(fields[c->comment], "cluster %" SCNu64 " from slice %" SCNu64,
		       &point->cluster, &point->interval);
	return end > fields[c->weight];
}

/* first: the head line. */
static bool read_csv(FILE *in, char *first, struct plan *plan)
{
	struct csv_columns columns;
	char *line = NULL;
	size_t size = 0;
	bool good = find_columns(first, &columns);

	while (good && getline(&line, &size, in) > 0)
		if (*line != '#' && line[strspn(line, " \r\n")])
			good = take_csv_line(line, &columns, plan);
	free(line);
	return good;
}

/* ---- .simpts ----------------------------------------------------------------------------- */

static bool read_simpts(FILE *in, const char *first, struct plan *plan)
{
	uint64_t interval, cluster;
	int n = sscanf(first, "%" SCNu64 " %" SCNu64, &interval, &cluster);

	for (; n == 2; n = fscanf(in, "%" SCNu64 " %" SCNu64, &interval, &cluster)) {
		struct plan_point *point = add_point(plan);

		point->interval = interval;
		point->cluster = cluster;
	}
	plan->counted = true;
	return n == EOF;
}

static bool read_weights(const char *path, struct plan *plan)
{
	FILE *in = open_input(path);
	uint64_t cluster;
	double weight;
	int n;

	if (!in) {
		command_error("%s: %m", path);
		return false;
	}
	while ((n = fscanf(in, "%lf %" SCNu64, &weight, &cluster)) == 2)
		for (size_t i = 0; i < plan->n; i++)
			if (plan->at[i].cluster == cluster)
				plan->at[i].weight = weight;
	fclose(in);
	if (n != EOF)
		command_error("%s: is not a .weights file", path);
	return n == EOF;
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
	FILE *in = open_input(path);
	char *line = NULL;
	size_t size = 0;
	bool good, simpts = false;

	*plan = (struct plan){ .thread = UINT64_MAX };
	if (!in || getline(&line, &size, in) < 0) {
		command_error(in ? "%s: is empty" : "%s: %m", path);
		if (in)
			fclose(in);
		free(line);
		return false;
	}
	if (line[strspn(line, " \t\n")] == '{') {
		good = read_json(path, plan);
	} else {
		simpts = line[0] >= '0' && line[0] <= '9';
		good = simpts ? read_simpts(in, line, plan) : read_csv(in, line, plan);
		if (!good)
			command_error("%s: is neither JSON of trace-simpoint, nor a region CSV, "
				      "nor a .simpts file", path);
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
