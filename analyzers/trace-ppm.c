/* SPDX-License-Identifier: MIT */
/* trace-ppm - predictability of conditional branches; mica/ppm.c has the definition. */
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

const struct mica_tool mica_tool = {
	.analysis = &mica_ppm,
	.columns = columns,
	.quotient = rate,
};

static const struct analyzer_option options[] = { MICA_OPTION_INTERVAL, { 0 } };

MICA_TOOL("trace-ppm", "count mispredictions of branches by ideal predictors (PPM)",
	  "trace-ppm --interval=1M --format=csv ls.trace", 0, options)
