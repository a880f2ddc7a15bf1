/* SPDX-License-Identifier: MIT */
/* The metrics that are compared: costs of a trace and of its functions and call paths. */
#ifndef COMPARE_METRICS_H
#define COMPARE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "traceformat/common/array.h"

/* Costs that trace-calls counts. */
enum cost {
	COST_INSTRUCTIONS,
	COST_LOADS,
	COST_STORES,
	COST_BRANCHES,
	COST_BYTES_LOADED,
	COST_BYTES_STORED,
	COST_CYCLES, /* only if they were asked for; otherwise 0 */
	N_COSTS
};

/* The name of a cost in trace-calls' results, behind "exclusive_" and "inclusive_". */
extern const char *const cost_names[N_COSTS];

enum metric_kind {
	METRIC_COST,     /* one of trace-calls' costs */
	METRIC_ACCESSES, /* loads and stores */
	METRIC_BYTES,    /* loaded and stored */
	METRIC_CALLS,    /* of functions */
	METRIC_MISSES,   /* of a fully associative LRU cache of a size: totals only */
	METRIC_LEVEL,    /* misses of a level of trace-cache's caches: not of call paths */
};

struct metric {
	char name[40]; /* as options and messages show it: "misses:32Ki" */
	char key[40];  /* as names of columns begin: "misses_32Ki" */
	const char *unit;
	enum metric_kind kind;
	enum cost cost;
	uint64_t size; /* of the cache, bytes */
	char level[8]; /* as level_number() takes it */
};

struct metrics {
	ARRAY(struct metric);
};

/* Words of options and manuals. */
#define METRIC_WORDS                                                             \
	"instructions, loads, stores, accesses, branches, bytes, bytes-loaded, " \
	"bytes-stored, calls, misses:SIZE, misses:LEVEL and cycles"

/*
 * Parses the name of a metric, the first `length` bytes of a text. Returns false if there is none
 * of that name.
 */
bool parse_metric(const char *text, size_t length, struct metric *metric);

/* Adds a metric unless it is there. Ends the process if memory is out. */
void add_metric(struct metrics *metrics, const struct metric *metric);

/* Returns true if functions have this metric, too; if call paths have it. */
bool metric_is_by_function(const struct metric *metric);
bool metric_is_by_path(const struct metric *metric);

/*
 * Returns the number of a cache's name: "L1I", "L1D" or "L1", which has both, are the first three,
 * and L2 to L9 follow. Returns N_LEVELS for another text.
 */
enum { LEVEL_L1I, LEVEL_L1D, LEVEL_L1, LEVEL_L2, N_LEVELS = LEVEL_L2 + 8 };
unsigned level_number(const char *text);

/* Returns the misses of a level: those of L1 are the sum of the first three. */
uint64_t misses_of_level(const uint64_t misses[N_LEVELS], const char *level);

/* Returns the value of a metric that call paths have, from a row's costs and calls. */
uint64_t metric_of(const struct metric *metric, const uint64_t costs[N_COSTS], uint64_t calls);

/* No result has greater numbers; sums of them stay there, so that differences do not overflow. */
#define MOST_COST (UINT64_C(1) << 61)

/* Returns a sum, but at most MOST_COST. Neither number is greater than that. */
static inline uint64_t add_costs(uint64_t a, uint64_t b)
{
	return a + b < MOST_COST ? a + b : MOST_COST;
}

#endif
