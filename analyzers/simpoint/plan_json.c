/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/plan_json.h"

#include <math.h>

#include "cli/common/base_name.h"
#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/common/report_json.h"

static json_t *points_report_json(const struct simpoints *s)
{
	struct report *report = simpoints_report(s, NULL, REPORT_JSON);
	json_t *root = report_json(report);

	report_free(report);
	return root;
}

static json_t *marker_json(const struct bound *bound)
{
	const struct place *place = &bound->marker;
	const struct tf_module *module = bound->module;
	json_t *marker = checked(json_object());

	if (module) {
		json_member(marker, "module", json_text(base_name(module->path)));
		json_member(marker, "path", json_text(module->path));
		json_member(marker, "build_id",
			    json_bytes(module->build_id, module->build_id_size));
		json_member(marker, "offset", json_hex(place->pc - bound->low));
	} else {
		json_member(marker, "module", json_null());
	}
	json_member(marker, "pc", json_hex(place->pc));
	json_member(marker, "count", json_number(place->count));
	if (bound->has_hash)
		json_member(marker, "tier", json_number(bound->tier));
	if (bound->compared)
		json_member(marker, "proven", json_boolean(bound->proven));
	return marker;
}

/* Adds the marker of a bound: null at the program's begin or end. */
static void add_marker(json_t *object, const char *name, const struct bound *bound)
{
	if (!bound->instructions || bound->is_last)
		json_member(object, name, json_null());
	else if (bound->marker.found)
		json_member(object, name, marker_json(bound));
}

static void add_hash(json_t *object, const char *name, const struct bound *bound)
{
	if (bound->has_hash)
		json_member(object, name, json_bytes(bound->hash, sizeof(bound->hash)));
}

static json_t *warmup_json(const struct region *region)
{
	json_t *warmup = checked(json_object());

	add_marker(warmup, "first", &region->warmup);
	json_member(warmup, "start", json_number(region->warmup.instructions));
	json_member(warmup, "filtered_start", json_number(region->warmup.filtered));
	json_member(warmup, "intervals", json_number(region->warmup_intervals));
	return warmup;
}

static void add_region(json_t *point, const struct region *region)
{
	json_member(point, "filtered_start", json_number(region->start.filtered));
	json_member(point, "filtered_end", json_number(region->end.filtered));
	json_member(point, "multiplier",
		    isnan(region->multiplier) ? json_null() : json_real(region->multiplier));
	add_marker(point, "first", &region->start);
	add_marker(point, "behind", &region->end);
	add_hash(point, "start_hash", &region->start);
	add_hash(point, "end_hash", &region->end);
	if (region->warmup_intervals)
		json_member(point, "warmup", warmup_json(region));
}

static void add_profile(const struct simpoints *s, json_t *root)
{
	const char *boundary = tf_meta(s->reader, "vectors.boundary");

	json_member(root, "threads", json_number(s->info.n_threads));
	if (!s->recorded)
		return;
	json_member(root, "profile", json_text(s->uuid));
	if (s->other) {
		json_member(root, "compared_with", json_text(s->o.other));
		json_member(root, "markers", json_number(s->proven.known));
		json_member(root, "markers_failed", json_number(s->proven.failed));
	}
	if (boundary)
		json_member(root, "boundary", json_text(boundary));
}

void plan_json_write(const struct simpoints *s, FILE *out)
{
	json_t *root = points_report_json(s), *points = json_object_get(root, "points");

	if (s->reader)
		add_profile(s, root);
	if (s->rows.n) {
		json_member(root, "instructions", json_number(s->info.instructions));
		json_member(root, "filtered", json_number(s->info.filtered));
		for (unsigned i = 0; i < s->selection.n; i++) {
			json_t *point = json_array_get(points, i);

			add_region(point, &s->regions[i]);
			json_member(point, "stratum", json_number(s->selection.at[i].cluster));
		}
	}
	json_put_line(out, root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
}
