/* SPDX-License-Identifier: MIT */
#include "cli/compare/metrics.h"

#include <stdio.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/quantity.h"

const char *const cost_names[N_COSTS] = {
	"instructions", "loads", "stores", "branches", "bytes_loaded", "bytes_stored", "cycles",
};

static const struct metric known[] = {
	{ "instructions", "instructions", "", METRIC_COST, COST_INSTRUCTIONS, 0, "" },
	{ "loads", "loads", "accesses", METRIC_COST, COST_LOADS, 0, "" },
	{ "stores", "stores", "accesses", METRIC_COST, COST_STORES, 0, "" },
	{ "accesses", "accesses", "accesses", METRIC_ACCESSES, 0, 0, "" },
	{ "branches", "branches", "", METRIC_COST, COST_BRANCHES, 0, "" },
	{ "bytes", "bytes", "bytes", METRIC_BYTES, 0, 0, "" },
	{ "bytes-loaded", "bytes_loaded", "bytes", METRIC_COST, COST_BYTES_LOADED, 0, "" },
	{ "bytes-stored", "bytes_stored", "bytes", METRIC_COST, COST_BYTES_STORED, 0, "" },
	{ "calls", "calls", "", METRIC_CALLS, 0, 0, "" },
	{ "cycles", "cycles", "cycles", METRIC_COST, COST_CYCLES, 0, "" },
};

unsigned level_number(const char *text)
{
	if (!strcmp(text, "L1I"))
		return LEVEL_L1I;
	if (!strcmp(text, "L1D"))
		return LEVEL_L1D;
	if (text[0] != 'L' || text[1] < '1' || text[1] > '9' || text[2])
		return N_LEVELS;
	return LEVEL_L1 + (unsigned)(text[1] - '1');
}

uint64_t misses_of_level(const uint64_t misses[N_LEVELS], const char *level)
{
	unsigned number = level_number(level);

	if (number != LEVEL_L1)
		return misses[number];
	return add_costs(misses[LEVEL_L1], add_costs(misses[LEVEL_L1I], misses[LEVEL_L1D]));
}

static bool parse_misses(const char *text, struct metric *metric)
{
	static const char misses[] = "misses:";
	const char *of = text + sizeof(misses) - 1;

	if (strncmp(text, misses, sizeof(misses) - 1) || strlen(text) >= sizeof(metric->name))
		return false;
	*metric = (struct metric){ .unit = "touches", .kind = METRIC_MISSES };
	if (level_number(of) < N_LEVELS) {
		metric->unit = "lookups";
		metric->kind = METRIC_LEVEL;
		strcpy(metric->level, of);
	} else if (!parse_size(of, &metric->size) || !metric->size) {
		return false;
	}
	strcpy(metric->name, text);
	strcpy(metric->key, text);
	for (char *c = metric->key; *c; c++)
		if (*c == ':' || *c == '.')
			*c = '_';
	return true;
}

bool parse_metric(const char *text, size_t length, struct metric *metric)
{
	char name[sizeof(metric->name)];

	if (length >= sizeof(name))
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name)) {
			*metric = known[i];
			return true;
		}
	return parse_misses(name, metric);
}

void add_metric(struct metrics *metrics, const struct metric *metric)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (!strcmp(metrics->at[i].name, metric->name))
			return;
	CHECKED_RESERVE(*metrics, metrics->count + 1);
	metrics->at[metrics->count++] = *metric;
}

bool metric_is_by_function(const struct metric *metric)
{
	return metric->kind == METRIC_LEVEL || metric_is_by_path(metric);
}

bool metric_is_by_path(const struct metric *metric)
{
	return metric->kind != METRIC_MISSES && metric->kind != METRIC_LEVEL;
}

uint64_t metric_of(const struct metric *metric, const uint64_t costs[N_COSTS], uint64_t calls)
{
	switch (metric->kind) {
	case METRIC_ACCESSES: return add_costs(costs[COST_LOADS], costs[COST_STORES]);
	case METRIC_BYTES: return add_costs(costs[COST_BYTES_LOADED], costs[COST_BYTES_STORED]);
	case METRIC_CALLS: return calls;
	default: return costs[metric->cost];
	}
}
