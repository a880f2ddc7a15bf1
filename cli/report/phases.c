/* SPDX-License-Identifier: MIT */
#include "cli/report/phases.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

/* A number of each interval, from the rows of a part's result. */
struct metric {
	const char *part, *name, *unit;
	const char *column, *divisor; /* of a row; divisor NULL: 1 */
	double factor;
	const char *key; /* NULL: all rows; else only those with this value in that column */
	uint64_t value;
};

/* A rep instruction makes an access for each repetition, so that a share could exceed 100 %. */
#define PER_INSTRUCTION "per instruction"

static const struct metric metrics[] = {
	{ "mix_by_interval", "loads", PER_INSTRUCTION, "loads", "instructions", 1, NULL, 0 },
	{ "mix_by_interval", "stores", PER_INSTRUCTION, "stores", "instructions", 1, NULL, 0 },
	{ "mix_by_interval", "taken branches", PER_INSTRUCTION, "branches_taken", "instructions", 1,
	  NULL, 0 },
	{ "mix_by_interval", "calls", PER_INSTRUCTION, "calls", "instructions", 1, NULL, 0 },
	{ "stackdist_by_interval", "misses of 32 KiB", "% of accesses", "miss_ratio_percent", NULL,
	  1, "cache_size_bytes", 32 << 10 },
	{ "stackdist_by_interval", "misses of 1 MiB", "% of accesses", "miss_ratio_percent", NULL,
	  1, "cache_size_bytes", 1 << 20 },
	{ "ilp_by_interval", "parallelism, window of 32", "instructions/cycle", "ipc_32", NULL, 1,
	  NULL, 0 },
	{ "ilp_by_interval", "parallelism, window of 256", "instructions/cycle", "ipc_256", NULL, 1,
	  NULL, 0 },
	{ "ppm_by_interval", "mispredicted branches", "% of branches",
	  "gas_12_misprediction_percent", NULL, 1, NULL, 0 },
	{ "footprint_by_interval", "touched data", "blocks of 64 bytes", "data_blocks", NULL, 1,
	  NULL, 0 },
	{ "footprint_by_interval", "touched code", "blocks of 64 bytes", "instruction_blocks", NULL,
	  1, NULL, 0 },
};

/* ---- the plan ------------------------------------------------------------------------------ */

/* Returns the least of 1, 2, 5, 10, 20, 50 ... by which `total` is at most MOST_INTERVALS parts. */
static uint64_t round_part(uint64_t total)
{
	static const unsigned steps[] = { 2, 5, 10 };
	uint64_t power = 1, part = 1;

	for (unsigned i = 0; total / part >= MOST_INTERVALS; i++) {
		part = power * steps[i % 3];
		if (i % 3 == 2)
			power = part;
	}
	return part;
}

/* Returns the first instruction of a thread that counts: the one behind a warm-up. */
static uint64_t first_counted(const json_t *info, uint64_t thread)
{
	const json_t *regions = json_object_get(info, "region_list"), *region;
	uint64_t first, number;
	size_t i;

	if (!json_object_get(info, "warmup"))
		return 0;
	json_array_foreach ((json_t *)regions, i, region) {
		const char *name = json_read_text(region, "region");

		if (name && strcmp(name, "simulation") == 0 &&
		    json_read_number(region, "thread", &number) && number == thread &&
		    json_read_number(region, "first", &first))
			return first;
	}
	return UINT64_MAX;
}

/* Chooses the thread that has executed most instructions that count. Returns their number. */
static uint64_t choose_thread(const json_t *info, struct phase_plan *plan)
{
	const json_t *threads = json_object_get(info, "thread_list"), *thread;
	uint64_t most = 0, instructions, number, first;
	size_t i;

	plan->one_of_many = json_array_size(threads) > 1;
	json_array_foreach ((json_t *)threads, i, thread)
		if (json_read_number(thread, "instructions", &instructions) &&
		    json_read_number(thread, "thread", &number) &&
		    (first = first_counted(info, number)) < instructions &&
		    instructions - first > most) {
			most = instructions - first;
			plan->thread = number;
		}
	return most;
}

struct phase_plan plan_phases(const json_t *info)
{
	struct phase_plan plan = { 0 };
	uint64_t total = choose_thread(info, &plan), recorded = 1;

	if (json_read_number(info, "vector_interval_size", &recorded) && recorded) {
		json_read_number(info, "vector_instructions", &total);
		plan.one_of_many = false;
	} else {
		recorded = 1;
	}
	if (total / recorded)
		plan.interval = recorded * round_part(total / recorded);
	return plan;
}

/* ---- points -------------------------------------------------------------------------------- */

static double greater_size(double greatest, const json_t *row, const char *axis)
{
	double size = fabs(json_read_real(row, axis));

	return size > greatest ? size : greatest;
}

static double greatest_coordinate(const json_t *list)
{
	double greatest = 0;
	const json_t *row;
	size_t i;

	json_array_foreach ((json_t *)list, i, row) {
		greatest = greater_size(greatest, row, "x");
		greatest = greater_size(greatest, row, "y");
		greatest = greater_size(greatest, row, "z");
	}
	return greatest;
}

static json_t *real_or_null(double value)
{
	return checked(isfinite(value) ? json_real(value) : json_null());
}

static json_t *pair(double x, double y)
{
	return checked(json_pack("[o, o]", real_or_null(x), real_or_null(y)));
}

static json_t *triple(double x, double y, double z)
{
	return checked(json_pack("[o, o, o]", real_or_null(x), real_or_null(y), real_or_null(z)));
}

/* Returns a colour, three numbers from 0 to 1; distances of colours go with those of points. */
static json_t *colour(double x, double y, double z, double greatest)
{
	double scale = greatest > 0 ? 0.5 / greatest : 0;

	return triple(0.5 + scale * x, 0.5 + scale * y, 0.5 + scale * z);
}

static void add_places(json_t *phases, const json_t *list)
{
	json_t *labels = checked(json_array()), *places = checked(json_array());
	json_t *colours = checked(json_array());
	double greatest = greatest_coordinate(list);
	const json_t *row;
	size_t i;

	json_array_foreach ((json_t *)list, i, row) {
		double x = json_read_real(row, "x"), y = json_read_real(row, "y");

		json_element(labels, json_incref(json_object_get(row, "cluster")));
		json_element(places, pair(x, y));
		json_element(colours, colour(x, y, json_read_real(row, "z"), greatest));
	}
	json_member(phases, "labels", labels);
	json_member(phases, "projection", places);
	json_member(phases, "colour", colours);
}

static json_t *points_of(const json_t *simpoints)
{
	static const char *const members[] = { "cluster", "interval", "weight",  "intervals",
					       "start",   "end",      "function" };
	json_t *points = checked(json_array());
	const json_t *from;
	size_t i;

	json_array_foreach (json_object_get(simpoints, "points"), i, from) {
		json_t *point = checked(json_object());

		for (size_t j = 0; j < sizeof(members) / sizeof(*members); j++)
			if (json_object_get(from, members[j]))
				json_member(point, members[j],
					    json_incref(json_object_get(from, members[j])));
		json_element(points, point);
	}
	return points;
}

void add_points(json_t *phases, const json_t *simpoints)
{
	static const char *const facts[] = { "thread",       "counter",       "interval_size",
					     "intervals",    "clusters",      "spread",
					     "vector_error", "mean_distance", "complete" };

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (json_object_get(simpoints, facts[i]))
			json_member(phases, facts[i],
				    json_incref(json_object_get(simpoints, facts[i])));
	json_member(phases, "explained_percent",
		    triple(json_read_real(simpoints, "x_variance"),
			   json_read_real(simpoints, "y_variance"),
			   json_read_real(simpoints, "z_variance")));
	json_member(phases, "points", points_of(simpoints));
	add_places(phases, json_object_get(simpoints, "interval_list"));
}

/* ---- metrics ------------------------------------------------------------------------------- */

static bool is_row_of(const struct metric *metric, const json_t *row)
{
	uint64_t value;

	return !metric->key ||
	       (json_read_number(row, metric->key, &value) && value == metric->value);
}

static json_t *value_of(const struct metric *metric, const json_t *row)
{
	double value = json_read_real(row, metric->column);

	if (metric->divisor)
		value /= json_read_real(row, metric->divisor);
	value *= metric->factor;
	return real_or_null(value);
}

static json_t *values_of(const struct metric *metric, const json_t *rows)
{
	json_t *values = checked(json_array());
	const json_t *row;
	size_t i;

	json_array_foreach ((json_t *)rows, i, row)
		if (is_row_of(metric, row))
			json_element(values, value_of(metric, row));
	return values;
}

void add_metrics(json_t *phases, const char *part, const json_t *result, const char *command)
{
	const json_t *rows = json_object_get(result, "intervals");

	if (!json_object_get(phases, "metrics"))
		json_member(phases, "metrics", checked(json_array()));
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		const struct metric *metric = &metrics[i];
		json_t *entry;

		if (strcmp(metric->part, part) != 0)
			continue;
		entry = checked(json_object());
		json_member(entry, "name", json_word(metric->name));
		json_member(entry, "unit", json_word(metric->unit));
		json_member(entry, "command", json_text(command));
		json_member(entry, "exactness", json_word("exact"));
		json_member(entry, "values", values_of(metric, rows));
		json_element(json_object_get(phases, "metrics"), entry);
	}
}
