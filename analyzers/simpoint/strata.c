/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/strata.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/json_values.h"

static bool get_count(const json_t *object, const char *name, uint64_t most, uint64_t *value)
{
	return json_read_number(object, name, value) && *value <= most;
}

static bool get_share(const json_t *object, const char *name, double *share)
{
	*share = json_read_real(object, name);
	return *share > 0 && *share <= 1 + 1e-9;
}

static bool take_stratum(const json_t *object, struct strata *s)
{
	const uint64_t most = UINT64_C(1) << 53;
	struct sampled_stratum stratum = { 0 };
	uint64_t intervals, points;

	if (!get_count(object, "stratum", UINT32_MAX, &stratum.number) ||
	    !get_share(object, "weight", &stratum.weight) ||
	    !get_count(object, "intervals", most, &intervals) ||
	    !get_count(object, "points", UINT32_MAX, &points) || !points || points > intervals)
		return false;
	stratum.intervals = (double)intervals;
	stratum.points = points;
	CHECKED_RESERVE(*s, s->n + 1);
	s->at[s->n++] = stratum;
	return true;
}

/* A plan with one point in each cluster has no table of strata. */
static bool take_cluster(const json_t *point, struct strata *s)
{
	json_t *stratum = checked(json_copy((json_t *)point));
	bool good;

	json_object_set(stratum, "stratum", json_object_get(point, "cluster"));
	json_object_set_new(stratum, "points", json_integer(1));
	good = take_stratum(stratum, s);
	json_decref(stratum);
	return good;
}

static bool take_strata(const json_t *root, const json_t *points, struct strata *s)
{
	const json_t *list = json_object_get(root, "strata");
	bool listed = json_is_array(list), good = true;
	const json_t *from = listed ? list : points;

	for (size_t i = 0; i < json_array_size(from) && good; i++)
		good = listed ? take_stratum(json_array_get(from, i), s)
			      : take_cluster(json_array_get(from, i), s);
	return good;
}

/* The points are in the order of their strata. */
static bool take_points(const json_t *points, struct strata *s)
{
	size_t i = 0;

	s->n_points = json_array_size(points);
	s->of = checked_array(s->n_points, sizeof(*s->of));
	s->weights = checked_array(s->n_points, sizeof(*s->weights));
	s->intervals = checked_array(s->n_points, sizeof(*s->intervals));
	for (size_t h = 0; h < s->n; h++)
		for (size_t k = 0; k < s->at[h].points; k++, i++) {
			const json_t *point = json_array_get(points, i);

			if (i == s->n_points || !get_share(point, "weight", &s->weights[i]) ||
			    !get_count(point, "interval", INT64_MAX, &s->intervals[i]))
				return false;
			s->of[i] = h;
		}
	return i == s->n_points;
}

bool strata_read(const char *path, struct strata *s)
{
	json_t *root = json_file_read(path, "trace-simpoint's JSON (--save-json)");
	const json_t *points = json_object_get(root, "points"), *whole;
	const char *select = json_string_value(json_object_get(root, "select"));
	bool good;

	*s = (struct strata){ 0 };
	if (!root)
		return false;
	good = json_array_size(points) && take_strata(root, points, s) && take_points(points, s);
	whole = json_object_get(root, "instructions");
	s->instructions = json_is_number(whole) ? json_number_value(whole) : NAN;
	s->by_chance = select && (!strcmp(select, "random") || !strcmp(select, "systematic"));
	json_decref(root);
	if (good)
		return true;
	command_error("%s: has no points with strata, as trace-simpoint --save-json writes them",
		      path);
	strata_free(s);
	return false;
}

/* Points are in the order of their strata. */
void strata_keep(struct strata *s, const bool *points)
{
	size_t n = 0, n_strata = 0, last = SIZE_MAX;

	for (size_t i = 0; i < s->n_points; i++) {
		if (!points[i])
			continue;
		if (s->of[i] != last) {
			last = s->of[i];
			s->at[n_strata] = s->at[last];
			s->at[n_strata++].points = 0;
		}
		s->at[n_strata - 1].points++;
		s->weights[n] = s->weights[i];
		s->intervals[n] = s->intervals[i];
		s->of[n++] = n_strata - 1;
	}
	s->n_points = n;
	s->n = n_strata;
}

void strata_free(struct strata *s)
{
	free(s->at);
	free(s->of);
	free(s->weights);
	free(s->intervals);
	*s = (struct strata){ 0 };
}

bool spreads_read(const char *path, double *spreads, size_t n)
{
	json_t *root = json_file_read(path,
				      "a report of trace-extrapolate --metric=NAME --format=json");
	const json_t *list = json_object_get(root, "strata");
	double sum = 0;
	size_t known = 0;

	if (!root)
		return false;
	for (size_t i = 0; i < n; i++)
		spreads[i] = -1;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		const json_t *spread = json_object_get(row, "spread");
		uint64_t number;

		if (!get_count(row, "stratum", UINT32_MAX, &number) || number >= n ||
		    !json_is_number(spread) || !(json_number_value(spread) >= 0) ||
		    spreads[number] >= 0)
			continue;
		spreads[number] = json_number_value(spread);
		sum += spreads[number];
		known++;
	}
	json_decref(root);
	for (size_t i = 0; i < n && known; i++)
		spreads[i] = spreads[i] < 0 ? sum / (double)known : spreads[i];
	if (!known)
		command_error("%s: has no spreads of the strata; trace-extrapolate --metric=NAME "
			      "--format=json measures them",
			      path);
	return known;
}
