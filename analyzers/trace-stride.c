/* SPDX-License-Identifier: MIT */
/* trace-stride - distances between successive accesses; mica/stride.c has the definition. */
#include "analyzers/mica/tool.h"

#define DISTANCES(way, scope) \
	way "_" scope "_0", way "_" scope "_8", way "_" scope "_64", way "_" scope "_512", \
	way "_" scope "_4096", way "_" scope "_32768", way "_" scope "_262144"

static const char *const columns[] = {
	"reads", DISTANCES("reads", "local"), DISTANCES("reads", "global"),
	"writes", DISTANCES("writes", "local"), DISTANCES("writes", "global"), NULL,
};

const struct mica_tool mica_tool = { .analysis = &mica_stride, .columns = columns };

static const struct analyzer_option options[] = { MICA_OPTION_INTERVAL, { 0 } };

MICA_TOOL("trace-stride", "count accesses by their distance from the ones before",
	  "trace-stride --interval=1M --format=csv ls.trace", TF_ADDRESSES, options)
