/* SPDX-License-Identifier: MIT */
#include "cli/record/points_plan.h"

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/input_file.h"
#include "cli/common/json_values.h"
#include "cli/common/plan_marker.h"
#include "cli/common/quantity.h"

/* A file with more points has none that are meant. */
enum { MAX_POINTS = 1 << 20 };

/* Reads a marker, if there is one. Returns false if it is not complete. */
static bool get_marker(const json_t *object, struct record_marker *marker)
{
	struct plan_marker found = { 0 };
	uint64_t tier;

	if (object && !plan_marker_read(object, &found))
		return false;
	*marker = (struct record_marker){
		.module = found.module,
		.build_id = found.build_id,
		.offset = found.offset,
		.pc = found.pc,
		.count = found.count,
		.is_head = json_read_number(object, "tier", &tier) && tier,
	};
	return true;
}

/* Sets the filtered instructions before a place; without filter they are all. */
static bool set_filtered(const json_t *object, const char *key, struct record_place *place)
{
	place->filtered = place->instructions;
	return json_read_optional_number(object, key, &place->filtered) &&
	       place->filtered <= place->instructions;
}

/*
 * Reads the places of a point. A plan with markers that has none for an end means the program's
 * end.
 */
static bool get_slice(const json_t *point, struct record_slice *slice)
{
	const json_t *first = json_object_get(point, "first");
	const json_t *behind = json_object_get(point, "behind");

	if (!json_read_number(point, "start", &slice->first.instructions) ||
	    !json_read_number(point, "end", &slice->end.instructions) ||
	    slice->end.instructions < slice->first.instructions ||
	    !get_marker(first, &slice->first.marker) || !get_marker(behind, &slice->end.marker))
		return false;
	if (json_is_null(behind))
		slice->end.instructions = UINT64_MAX;
	return set_filtered(point, "filtered_start", &slice->first) &&
	       set_filtered(point, "filtered_end", &slice->end);
}

/* Returns the instructions between the begin of a point's warm-up and the point. */
static uint64_t planned_warmup(const json_t *point, const struct record_slice *slice)
{
	uint64_t start;

	return json_read_number(json_object_get(point, "warmup"), "start", &start) &&
			       start < slice->first.instructions
		       ? slice->first.instructions - start
		       : 0;
}

/* Adds the place where the warm-up begins, if it has a marker. */
static bool add_guide(const json_t *point, struct points_plan *plan)
{
	const json_t *warmup = json_object_get(point, "warmup");
	struct record_place *guide = &plan->guides[plan->n_guides];

	if (!json_read_number(warmup, "start", &guide->instructions))
		return true;
	if (!get_marker(json_object_get(warmup, "first"), &guide->marker))
		return false;
	if (!set_filtered(warmup, "filtered_start", guide))
		return false;
	plan->n_guides += guide->marker.count != 0;
	return true;
}

static uint64_t get_filtered(const json_t *point)
{
	uint64_t start, end;

	return json_read_number(point, "filtered_start", &start) &&
			       json_read_number(point, "filtered_end", &end) && end >= start
		       ? end - start
		       : UINT64_MAX;
}

static bool get_point(const json_t *object, uint64_t warmup, struct planned_point *point,
		      struct record_slice *slice)
{
	uint64_t tier;

	*point = (struct planned_point){
		.filtered = get_filtered(object),
		.tier = -1,
	};
	if (json_read_number(json_object_get(object, "first"), "tier", &tier))
		point->tier = (int64_t)tier;
	if (!json_read_optional_real(object, "weight", &point->weight) ||
	    !json_read_optional_real(object, "multiplier", &point->multiplier) ||
	    point->weight < 0 || point->multiplier < 0 ||
	    !json_read_number(object, "cluster", &point->cluster) ||
	    !json_read_number(object, "interval", &point->interval) || !get_slice(object, slice))
		return false;
	slice->warmup = warmup != UINT64_MAX ? warmup : planned_warmup(object, slice);
	return true;
}

static bool get_points(const json_t *points, uint64_t warmup, struct points_plan *plan)
{
	size_t n = json_array_size(points);

	if (!n || n > MAX_POINTS)
		return false;
	plan->points = checked_array(n, sizeof(*plan->points));
	plan->slices = checked_array(n, sizeof(*plan->slices));
	plan->guides = checked_array(n, sizeof(*plan->guides));
	for (; plan->n < n; plan->n++) {
		const json_t *point = json_array_get(points, plan->n);

		if (!get_point(point, warmup, &plan->points[plan->n], &plan->slices[plan->n]) ||
		    !add_guide(point, plan))
			return false;
	}
	return true;
}

bool points_plan_read(const char *path, uint64_t warmup, struct points_plan *plan)
{
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
		{ "thread", &plan->thread },
		{ "interval_size", &plan->interval_size },
		{ "instructions", &plan->instructions },
		{ "filtered", &plan->filtered },
	};
	json_error_t error;
	FILE *in = expect_file(path, "a plan: JSON of trace-simpoint", ACCEPT_JSON)
			   ? open_input(path)
			   : NULL;

	*plan = (struct points_plan){ .path = path, .thread = UINT64_MAX };
	if (!in) {
		command_error("%s: %m", path);
		return false;
	}
	plan->root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	fclose(in);
	if (!plan->root) {
		command_error("%s, line %d: %s", path, error.line, error.text);
		return false;
	}
	plan->trace = json_read_text(plan->root, "trace");
	if (!plan->trace) {
		command_error("%s: its points are of vectors that name no place in a run; choose "
			      "points of a trace, as trace-record --vectors writes it",
			      path);
		points_plan_free(plan);
		return false;
	}
	if (!get_points(json_object_get(plan->root, "points"), warmup, plan)) {
		command_error("%s: point %zu is not one that trace-simpoint writes for a trace",
			      path, plan->n + 1);
		points_plan_free(plan);
		return false;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!json_read_optional_number(plan->root, numbers[i].name, numbers[i].value)) {
			command_error("%s: its \"%s\" is no number from 0 on", path,
				      numbers[i].name);
			points_plan_free(plan);
			return false;
		}
	plan->profile = json_read_text(plan->root, "profile");
	if (!plan->profile)
		plan->profile = json_read_text(plan->root, "uuid");
	return true;
}

void points_plan_free(struct points_plan *plan)
{
	json_decref(plan->root);
	free(plan->points);
	free(plan->slices);
	free(plan->guides);
	*plan = (struct points_plan){ 0 };
}
