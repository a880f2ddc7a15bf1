/* SPDX-License-Identifier: MIT */
/* trace-reg - register traffic; mica/reg.c has the definition. */
#include "analyzers/mica/tool.h"

static const char *const columns[] = {
	"operands", "values", "uses_of_values", "uses", "age_1", "age_2", "age_4", "age_8",
	"age_16", "age_32", "age_64", NULL,
};

const struct mica_tool mica_tool = { .analysis = &mica_reg, .columns = columns };

static const struct analyzer_option options[] = { MICA_OPTION_INTERVAL, { 0 } };

MICA_TOOL("trace-reg", "count register operands, uses of values, and their ages",
	  "trace-reg --interval=1M --format=csv ls.trace", 0, options)
