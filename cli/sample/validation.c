/* SPDX-License-Identifier: MIT */
#include "cli/sample/validation.h"

#include <math.h>
#include <string.h>

#include "cli/common/input_file.h"
#include "cli/common/json_values.h"

bool validation_read(struct validation *v, const char *path)
{
	v->result = json_file_read(path, "JSON of trace-extrapolate");
	return v->result;
}

void validation_free(struct validation *v)
{
	json_decref(v->result);
	v->result = NULL;
}

static bool is_named(const json_t *estimate, const char *table, const char *name)
{
	const char *own_table = json_read_text(estimate, "table");
	const char *own_name = json_read_text(estimate, "name");

	return own_name && !strcmp(own_name, name) && !strcmp(own_table ? own_table : "", table);
}

void validation_put_mix(const struct validation *v, struct report *r)
{
	const json_t *estimate;
	double sum = 0;
	size_t i;

	json_array_foreach (json_object_get(v->result, "estimates"), i, estimate) {
		double whole = json_read_real(estimate, "whole");
		double value = json_read_real(estimate, "estimate");

		if (is_named(estimate, "classes", "share_percent"))
			sum += fabs((isnan(value) ? 0 : value) - (isnan(whole) ? 0 : whole));
	}
	report_f64(r, "mix_error", "%", sum / 2);
	report_define(r, "mix_error",
		      "share of the instructions that the slices attribute to other classes than "
		      "the program has");
}

/* Returns the true number of that name outside of tables, or NaN. */
static double whole_of(const struct validation *v, const char *name)
{
	const json_t *estimate;
	size_t i;

	json_array_foreach (json_object_get(v->result, "estimates"), i, estimate) {
		if (is_named(estimate, "", name))
			return json_read_real(estimate, "whole");
	}
	return NAN;
}

/* Returns true if vectors may count less than slices, which have the extents of all operands. */
static bool is_by_extents(const char *name)
{
	static const char *const names[] = { "loads", "stores", "load_stores", "bytes_loaded",
					     "bytes_stored" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

void validation_put_counts(const struct validation *v, struct report *r)
{
	static const struct report_column columns[] = {
		{ "name", REPORT_STRING, "" },
		{ "estimate", REPORT_F64, "" },
		{ "whole", REPORT_U64, "" },
		{ "error", REPORT_F64, "percent" },
		{ NULL, 0, NULL },
	};
	double least = whole_of(v, "instructions") / 100;
	bool without_extents = whole_of(v, "unmeasured_operands") > 0;
	const json_t *estimate;
	size_t i;

	report_table(r, "validation", columns);
	json_array_foreach (json_object_get(v->result, "estimates"), i, estimate) {
		const char *name = json_read_text(estimate, "name");
		double whole = json_read_real(estimate, "whole");

		if (name && is_named(estimate, "", name) && whole >= least &&
		    !(without_extents && is_by_extents(name)))
			report_row(r, name, json_read_real(estimate, "estimate"), (uint64_t)whole,
				   json_read_real(estimate, "error"));
	}
}
