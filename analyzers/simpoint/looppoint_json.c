/* SPDX-License-Identifier: MIT */
#include "analyzers/simpoint/looppoint_json.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/json_values.h"
#include "cli/common/quantity.h"
#include "cli/common/save_file.h"

/* Returns an object with a marker's address and count, under this name. */
static json_t *marker_json(const struct bound *bound, const char *count_name)
{
	json_t *marker = checked(json_object());

	json_member(marker, "pc", json_number(bound->marker.pc));
	json_member(marker, count_name, json_number(bound->marker.count));
	return marker;
}

static json_t *region_json(const struct region *region)
{
	json_t *object = checked(json_object()), *simulation = checked(json_object());
	json_t *end = marker_json(&region->end, "global"), *warmup;

	json_member(end, "relative", json_number(relative_count(region)));
	json_member(simulation, "start", marker_json(&region->start, "global"));
	json_member(simulation, "end", end);
	json_member(object, "simulation", simulation);
	json_member(object, "multiplier", checked(json_real(region->multiplier)));
	if (region->warmup_intervals) {
		warmup = checked(json_object());
		json_member(warmup, "start", marker_json(&region->warmup, "count"));
		json_member(warmup, "end", marker_json(&region->start, "count"));
		json_member(object, "warmup", warmup);
	}
	return object;
}

/* Adds a region to an object under its number. */
static void add_region(json_t *object, const struct region *region)
{
	char *name = text_format("%" PRIu64, region->id);

	json_member(object, name, region_json(region));
	free(name);
}

static bool check_count(const char *path, const struct region *region, const struct bound *bound)
{
	char count[COUNT_SIZE];

	if (bound->marker.count <= INT_MAX)
		return true;
	command_error("%s: region %" PRIu64 " is bounded by execution %s of 0x%" PRIx64
		      ", but gem5 counts to 2,147,483,647; use smaller intervals or fewer of "
		      "them, or vectors recorded with --boundary=loop",
		      path, region->id, format_count(bound->marker.count, count), bound->marker.pc);
	return false;
}

static bool check_region(const char *path, const struct region *region)
{
	return check_count(path, region, &region->start) &&
	       check_count(path, region, &region->end) &&
	       (!region->warmup_intervals || check_count(path, region, &region->warmup));
}

static int save(const char *path, json_t *object)
{
	struct save_file *file = save_file_begin(path);

	if (!file) {
		json_decref(object);
		return EXIT_FAILED;
	}
	json_put_line(save_file_stream(file), object, JSON_INDENT(4) | JSON_REAL_PRECISION(17));
	return save_file_end(file);
}

/* Returns the name of the file of one region. */
static char *region_path(const char *path, const struct region *region)
{
	static const char suffix[] = ".json";
	size_t stem = strlen(path);

	if (stem > strlen(suffix) && !strcmp(path + stem - strlen(suffix), suffix))
		stem -= strlen(suffix);
	return text_format("%.*s.%" PRIu64 "%s", (int)stem, path, region->id, suffix);
}

static int save_region(const char *path, const struct region *region)
{
	char *name = region_path(path, region);
	json_t *object = checked(json_object());
	int status;

	add_region(object, region);
	status = save(name, object);
	free(name);
	return status;
}

int looppoint_json_write(const char *path, const struct selection *selection,
			 const struct region *regions)
{
	json_t *all = checked(json_object());
	int status;

	for (unsigned i = 0; i < selection->n; i++) {
		if (!check_region(path, &regions[i])) {
			json_decref(all);
			return EXIT_FAILED;
		}
		add_region(all, &regions[i]);
	}
	status = save(path, all);
	for (unsigned i = 0; i < selection->n && status == EXIT_DONE; i++)
		status = save_region(path, &regions[i]);
	return status;
}
