/* SPDX-License-Identifier: MIT */
/* trace-reg - register traffic; mica/reg.c has the definition. */
#include "analyzers/mica/tool.h"

static const struct mica_column columns[] = {
	{ "operands", "operands" }, { "values", "values" },     { "uses_of_values", "uses" },
	{ "uses", "uses" },         { "age_up_to_1", "uses" },  { "age_up_to_2", "uses" },
	{ "age_up_to_4", "uses" },  { "age_up_to_8", "uses" },  { "age_up_to_16", "uses" },
	{ "age_up_to_32", "uses" }, { "age_up_to_64", "uses" }, { NULL, NULL },
};

enum { OPERANDS, VALUES, USES_OF_VALUES };

static bool mean(const struct mica_setup *setup, unsigned index, struct mica_quotient *quotient)
{
	static const struct mica_quotient means[] = {
		{ "operands_per_instruction", 1, MICA_NUMBER(OPERANDS), MICA_EXECUTIONS },
		{ "degree_of_use", 1, MICA_NUMBER(USES_OF_VALUES), MICA_NUMBER(VALUES) },
	};

	(void)setup;
	if (index == sizeof(means) / sizeof(means[0]))
		return false;
	*quotient = means[index];
	return true;
}

const struct mica_tool mica_tool = {
	.analysis = &mica_reg,
	.columns = columns,
	.quotient = mean,
};

static const struct command_option options[] = {
	MICA_OPTION_FOLD,
	MICA_OPTION_CET,
	MICA_OPTION_INTERVAL,
	{ 0 },
};

MICA_TOOL(ANALYZER_NEEDS_CODE, MICA_IN_ORDER, "trace-reg",
	  "count register operands, uses of values, and their ages",
	  "trace-reg --interval=1M --format=csv ls.trace", 0, options)
