/* SPDX-License-Identifier: MIT */
/* trace-stride - distances between successive accesses; mica/stride.c has the definition. */
#include "analyzers/mica/tool.h"

#define WITHIN(way, scope, distance)                         \
	{                                                    \
		way "_" scope "_up_to_" distance, "accesses" \
	}
#define DISTANCES(way, scope)                                                       \
	WITHIN(way, scope, "0"), WITHIN(way, scope, "8"), WITHIN(way, scope, "64"), \
		WITHIN(way, scope, "512"), WITHIN(way, scope, "4096"),              \
		WITHIN(way, scope, "32768"), WITHIN(way, scope, "262144")

static const struct mica_column columns[] = {
	{ "reads", "accesses" },  DISTANCES("reads", "local"),  DISTANCES("reads", "global"),
	{ "writes", "accesses" }, DISTANCES("writes", "local"), DISTANCES("writes", "global"),
	{ NULL, NULL },
};

/*
 * Computes the share of the accesses of the same kind: the number of reads stands before the
 * columns of reads, and likewise for writes.
 */
static void share(const struct mica_setup *setup, unsigned column, const uint64_t *row, char *text,
		  size_t size)
{
	enum { KIND = 1 + 2 * 7 }; /* numbers of reads, as many as of writes */
	unsigned whole = column / KIND * KIND;

	(void)setup;
	if (column != whole)
		mica_share(row[MICA_NUMBER(column)], row[MICA_NUMBER(whole)], text, size);
}

const struct mica_tool mica_tool = {
	.analysis = &mica_stride,
	.columns = columns,
	.remark = share,
};

static const struct command_option options[] = { MICA_OPTION_INTERVAL, { 0 } };

MICA_TOOL(0, MICA_IN_ORDER, "trace-stride",
	  "count accesses by their distance from the previous ones",
	  "trace-stride --interval=1M --format=csv ls.trace", TF_ADDRESSES, options)
