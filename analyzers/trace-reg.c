/* SPDX-License-Identifier: MIT */
/* trace-reg - register traffic; mica/reg.c has the definition. */
#include "analyzers/mica/tool.h"

static const struct mica_column columns[] = {
	{ "operands", "operands" }, { "values", "values" }, { "uses_of_values", "uses" },
	{ "uses", "uses" }, { "age_1", "uses" }, { "age_2", "uses" }, { "age_4", "uses" },
	{ "age_8", "uses" }, { "age_16", "uses" }, { "age_32", "uses" }, { "age_64", "uses" },
	{ NULL, NULL },
};

const struct mica_tool mica_tool = { .analysis = &mica_reg, .columns = columns };

static const struct analyzer_option options[] = { MICA_OPTION_FOLD, MICA_OPTION_INTERVAL, { 0 } };

MICA_TOOL("trace-reg", "count register operands, uses of values, and their ages",
	  "trace-reg --interval=1M --format=csv ls.trace", 0, options)
