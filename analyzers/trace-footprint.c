/* SPDX-License-Identifier: MIT */
/* trace-footprint - memory touched; mica/footprint.c has the definition. */
#include "analyzers/mica/tool.h"
#include "cli/common/command.h"
#include "cli/common/quantity.h"

static const struct mica_column columns[] = {
	{ "data_blocks", "" },       { "data_pages", "" }, { "instruction_blocks", "" },
	{ "instruction_pages", "" }, { NULL, NULL },
};

static int prepare(const struct mica_options *options, struct mica_setup *setup)
{
	(void)options;
	return setup->page_shift >= setup->block_shift
		       ? 0
		       : command_usage_error("--page-size must not be smaller than --block-size");
}

/* Writes the bytes of a column: even columns count blocks, odd ones pages. */
static void bytes(const struct mica_setup *setup, unsigned column, const uint64_t *row, char *text,
		  size_t size)
{
	unsigned shift = column % 2 ? setup->page_shift : setup->block_shift;
	char count[COUNT_SIZE];

	snprintf(text, size, "%s bytes", format_count(row[MICA_NUMBER(column)] << shift, count));
}

static const char *const legend[] = {
	"data_blocks",
	"blocks that accesses touch as MICA counts them: a gather or scatter only by its first "
	"lane, a masked access by all lanes",
	"data_pages",
	"pages that the same accesses touch",
	NULL,
};

const struct mica_tool mica_tool = {
	.analysis = &mica_footprint,
	.legend = legend,
	.remark = bytes,
	.columns = columns,
	.prepare = prepare,
};

static const struct command_option options[] = {
	MICA_OPTION_BLOCK,
	MICA_OPTION("page-size", 'p', "BYTES", "size of a page (default 4096)",
		    analyzer_option_positive, page_size),
	MICA_OPTION_INTERVAL,
	{ 0 },
};

MICA_TOOL(0, MICA_ANY_ORDER, "trace-footprint",
	  "count the memory blocks and pages that are touched: the working set",
	  "trace-footprint --block-size=64 ls.trace", TF_ADDRESSES, options)
