/* SPDX-License-Identifier: MIT */
/* trace-ppm - predictability of conditional branches; mica/ppm.c has the definition. */
#include <math.h>

#include "analyzers/mica/tool.h"

#define MISSES(length)                                                            \
	{ "gag_" length, "mispredictions" }, { "pag_" length, "mispredictions" }, \
		{ "gas_" length, "mispredictions" },                              \
	{                                                                         \
		"pas_" length, "mispredictions"                                   \
	}

/* clang-format off */
static const struct mica_column columns[] = {
	MISSES("12"), MISSES("8"), MISSES("4"), { "branches", "executions" },
	{ "transitions", "executions" }, { "rarer_directions", "executions" }, { NULL, NULL },
};
/* clang-format on */

enum { PREDICTORS = 12, BRANCHES = PREDICTORS };

static bool rate(const struct mica_setup *setup, unsigned index, struct mica_quotient *quotient)
{
	(void)setup;
	if (index == PREDICTORS)
		return false;
	*quotient = (struct mica_quotient){
		.factor = 100,
		.dividend = MICA_NUMBER(index),
		.divisor = MICA_NUMBER(BRANCHES),
	};
	snprintf(quotient->name, sizeof(quotient->name), "%s_misprediction_percent",
		 columns[index].name);
	return true;
}

/*
 * Predictors: a history and a table of patterns, each global (G, g) or one for each branch (P, s).
 */
static void table(const uint64_t *row, struct report *report)
{
	static const struct report_column head[] = {
		{ "predictor", REPORT_STRING, "" },
		{ "history", REPORT_U64, "branches" },
		{ "mispredictions", REPORT_U64, "" },
		{ "rate", REPORT_F64, "%" },
		{ NULL, 0, NULL },
	};
	static const struct {
		const char *name;
		unsigned offset; /* among the numbers of a length */
	} kinds[] = { { "GAg", 0 }, { "GAs", 2 }, { "PAg", 1 }, { "PAs", 3 } };
	static const uint64_t lengths[] = { 12, 8, 4 };
	uint64_t branches = row[MICA_NUMBER(BRANCHES)];

	report_text_table(report, "predictors", head);
	for (unsigned k = 0; k < 4; k++)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t misses = row[MICA_NUMBER(4 * i + kinds[k].offset)];

			report_row(report, kinds[k].name, lengths[i], misses,
				   branches ? 100.0 * (double)misses / (double)branches : NAN);
		}
}

const struct mica_tool mica_tool = {
	.analysis = &mica_ppm,
	.table = table,
	.n_in_table = PREDICTORS,
	.columns = columns,
	.quotient = rate,
};

static const struct command_option options[] = { MICA_OPTION_INTERVAL, { 0 } };

MICA_TOOL(ANALYZER_NEEDS_BRANCHES, MICA_SHARED, "trace-ppm",
	  "count the branches that ideal predictors mispredict (PPM)",
	  "trace-ppm --interval=1M --format=csv ls.trace", 0, options)
