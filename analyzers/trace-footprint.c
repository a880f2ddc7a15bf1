/* SPDX-License-Identifier: MIT */
/* trace-footprint - memory touched; mica/footprint.c has the definition. */
#include "analyzers/mica/tool.h"

static const struct mica_column columns[] = {
	{ "data_blocks", "blocks" }, { "data_pages", "pages" },
	{ "instruction_blocks", "blocks" }, { "instruction_pages", "pages" }, { NULL, NULL },
};

const struct mica_tool mica_tool = { .analysis = &mica_footprint, .columns = columns };

static const struct analyzer_option options[] = {
	MICA_OPTION_BLOCK,
	MICA_OPTION("page-size", 'p', "BYTES", "size of a page (default 4096)", option_positive,
		    page_size),
	MICA_OPTION_INTERVAL,
	{ 0 },
};

MICA_TOOL("trace-footprint", "count blocks and pages that data and instructions touch",
	  "trace-footprint --block-size=64 ls.trace", TF_ADDRESSES, options)
