/* SPDX-License-Identifier: MIT */
#include "cli/analyze/suite_metrics.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"

#define PERCENT  "%"
#define IPC      "instructions/cycle"
#define PER_KILO "misses/1000 instructions"
#define ITYPE(fact)                                              \
	{                                                        \
		"itypes", fact, "executions", 100, PERCENT, true \
	}
#define MISS(fact)                                          \
	{                                                   \
		"ppm", fact, "branches", 100, PERCENT, true \
	}
#define AGE(fact)                                       \
	{                                               \
		"reg", fact, "uses", 100, PERCENT, true \
	}
/* Accesses whose distance from the last one, of the instruction or of all, is small enough. */
#define STRIDE(way, access, most)                                                   \
	{                                                                           \
		"stride", access "_" way "_up_to_" most, access, 100, PERCENT, true \
	}
#define STRIDES(way, access)                                                           \
	STRIDE(way, access, "0"), STRIDE(way, access, "8"), STRIDE(way, access, "64"), \
		STRIDE(way, access, "512"), STRIDE(way, access, "4096"),               \
		STRIDE(way, access, "32768"), STRIDE(way, access, "262144")

const struct suite_metric suite_metrics[] = {
	ITYPE("mem_read"),
	ITYPE("mem_write"),
	ITYPE("control"),
	ITYPE("arithmetic"),
	ITYPE("floating_point"),
	ITYPE("stack"),
	ITYPE("shift"),
	ITYPE("string"),
	ITYPE("sse"),
	ITYPE("system"),
	ITYPE("nop"),
	ITYPE("other"),
	{ "ilp", "ipc_32", NULL, 1, IPC, true },
	{ "ilp", "ipc_64", NULL, 1, IPC, true },
	{ "ilp", "ipc_128", NULL, 1, IPC, true },
	{ "ilp", "ipc_256", NULL, 1, IPC, true },
	{ "reg", "operands_per_instruction", NULL, 1, "operands/instruction", true },
	{ "reg", "degree_of_use", NULL, 1, "uses/value", true },
	AGE("age_up_to_1"),
	AGE("age_up_to_2"),
	AGE("age_up_to_4"),
	AGE("age_up_to_8"),
	AGE("age_up_to_16"),
	AGE("age_up_to_32"),
	AGE("age_up_to_64"),
	STRIDES("local", "reads"),
	STRIDES("global", "reads"),
	STRIDES("local", "writes"),
	STRIDES("global", "writes"),
	MISS("gag_12"),
	MISS("pag_12"),
	MISS("gas_12"),
	MISS("pas_12"),
	MISS("gag_8"),
	MISS("pag_8"),
	MISS("gas_8"),
	MISS("pas_8"),
	MISS("gag_4"),
	MISS("pag_4"),
	MISS("gas_4"),
	MISS("pas_4"),
	{ "footprint", "data_blocks", NULL, 1, "blocks", true },
	{ "footprint", "data_pages", NULL, 1, "pages", true },
	{ "footprint", "instruction_blocks", NULL, 1, "blocks", true },
	{ "footprint", "instruction_pages", NULL, 1, "pages", true },
	{ "mix", "instructions", NULL, 1, "instructions", false },
	{ "mix", "bytes_loaded", "instructions", 1, "bytes/instruction", false },
	{ "mix", "bytes_stored", "instructions", 1, "bytes/instruction", false },
	{ "ibs", "cycles_of_all_threads", "instructions", 1, "cycles/instruction", false },
	{ "cache", "L1I", NULL, 1, PER_KILO, false },
	{ "cache", "L1D", NULL, 1, PER_KILO, false },
	{ "cache", "L2", NULL, 1, PER_KILO, false },
	{ "cache", "L3", NULL, 1, PER_KILO, false },
};
const size_t n_suite_metrics = sizeof(suite_metrics) / sizeof(suite_metrics[0]);

char *metric_name(const struct suite_metric *metric)
{
	bool level = !strcmp(metric->analyzer, "cache");
	char *name = text_format("%s_%s%s", metric->analyzer, metric->fact, level ? "_misses" : "");

	for (char *at = name; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return name;
}

/* Returns the misses of a level for 1000 instructions. */
static double level_misses(const json_t *result, const char *level)
{
	const json_t *row;
	size_t i;

	json_array_foreach (json_object_get(result, "levels"), i, row) {
		const char *name = json_read_text(row, "level");

		if (name && !strcmp(name, level))
			return json_read_real(row, "mpki");
	}
	return NAN;
}

static double value_of(const struct suite_metric *metric, const json_t *result)
{
	double value, divisor = 1;

	if (!strcmp(metric->analyzer, "cache"))
		return level_misses(result, metric->fact);
	value = json_read_real(result, metric->fact);
	if (metric->divisor)
		divisor = json_read_real(result, metric->divisor);
	if (divisor == 0) /* a share of nothing: no branches, or no accesses */
		return value == 0 ? 0 : NAN;
	return metric->factor * value / divisor;
}

double *read_suite_metrics(const struct suite_jobs *jobs, const struct suite_traces *traces)
{
	size_t n = n_suite_metrics;
	double *values = checked_array(traces->count * n, sizeof(*values));

	for (size_t i = 0; i < traces->count * n; i++)
		values[i] = NAN;
	for (size_t j = 0; j < jobs->count; j++) {
		const struct suite_job *job = &jobs->at[j];
		double *row = values + (size_t)(job->trace - traces->at) * n;
		char *path = job_file(jobs, job, "json");
		json_t *result = NULL;

		if (job->outcome == OUTCOME_DONE || job->outcome == OUTCOME_INCOMPLETE)
			result = json_load_file(path, 0, NULL);
		for (size_t m = 0; m < n && result; m++)
			if (!strcmp(suite_metrics[m].analyzer, job->name))
				row[m] = value_of(&suite_metrics[m], result);
		json_decref(result);
		free(path);
	}
	return values;
}
