/* SPDX-License-Identifier: MIT */
/* trace-ppm - predictability of conditional branches; mica/ppm.c has the definition. */
#include "analyzers/mica/tool.h"

static const char *const columns[] = {
	"gag_12", "pag_12", "gas_12", "pas_12", "gag_8", "pag_8", "gas_8", "pas_8",
	"gag_4", "pag_4", "gas_4", "pas_4", "branches", "transitions", "rarer_directions", NULL,
};

const struct mica_tool mica_tool = { .analysis = &mica_ppm, .columns = columns };

static const struct analyzer_option options[] = { MICA_OPTION_INTERVAL, { 0 } };

MICA_TOOL("trace-ppm", "count mispredictions of branches by ideal predictors (PPM)",
	  "trace-ppm --interval=1M --format=csv ls.trace", 0, options)
