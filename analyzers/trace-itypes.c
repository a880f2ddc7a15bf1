/* SPDX-License-Identifier: MIT */
/* trace-itypes - instruction mix by MICA's groups or one's own; see mica/itypes.c. */
#include "analyzers/mica/tool.h"

static const char *const default_names[] = {
	"mem_read", "mem_write", "control", "arithmetic", "floating_point", "stack", "shift",
	"string",   "sse",       "system",  "nop",        "other"
};

static bool name(const struct mica_setup *setup, unsigned column, char *text, size_t size)
{
	uint32_t count = setup->groups->count;

	if (column > count)
		return false;
	if (column == count)
		snprintf(text, size, "other");
	else if (setup->groups->is_default)
		snprintf(text, size, "%s", default_names[column]);
	else
		snprintf(text, size, "group_%u", column);
	return true;
}

static void share(const struct mica_setup *setup, unsigned column, const uint64_t *row, char *text,
		  size_t size)
{
	(void)setup;
	mica_share(row[MICA_NUMBER(column)], row[MICA_EXECUTIONS], text, size);
}

const struct mica_tool mica_tool = {
	.analysis = &mica_itypes,
	.name = name,
	.unit = "executions",
	.accesses = true,
	.remark = share,
};

static const struct command_option options[] = {
	MICA_OPTION("groups", 'g', "FILE", "groups of instruction types, as MICA reads them",
		    analyzer_option_text, groups),
	MICA_OPTION_CET,
	MICA_OPTION_INTERVAL,
	{ 0 },
};

MICA_TOOL(ANALYZER_NEEDS_CODE, MICA_ANY_ORDER, "trace-itypes",
	  "count instructions by groups of types, as MICA does",
	  "trace-itypes --interval=1M --format=csv ls.trace", 0, options)
