/* SPDX-License-Identifier: MIT */
#include "cli/compare/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/escape.h"
#include "cli/common/quantity.h"

/* ---- limits ------------------------------------------------------------------------------ */

/* Parses "1%", "0.5%" or "1000". */
static bool parse_growth(const char *text, size_t length, struct limit *limit)
{
	char number[64];
	char *end;

	if (!length || length >= sizeof(number))
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	limit->is_share = number[length - 1] == '%';
	if (!limit->is_share)
		return parse_count(number, &limit->count) && limit->count <= MOST_COST;
	number[length - 1] = '\0';
	if (!*number || number[strspn(number, "0123456789.")])
		return false;
	limit->share = strtod(number, &end) / 100;
	return !*end && isfinite(limit->share);
}

/* Adds a limit. One for a metric takes the place of one for all metrics. */
static void add_limit(struct limits *limits, const struct limit *limit)
{
	for (size_t i = 0; i < limits->count; i++) {
		if (strcmp(limits->at[i].metric.name, limit->metric.name))
			continue;
		if (!limit->is_for_all)
			limits->at[i] = *limit;
		return;
	}
	CHECKED_RESERVE(*limits, limits->count + 1);
	limits->at[limits->count++] = *limit;
}

static const char *parse_item(const char *item, size_t length, const struct metrics *metrics,
			      struct limits *limits)
{
	struct limit limit = { .text = item, .length = length };
	size_t colon = length;

	if (parse_growth(item, length, &limit)) {
		limit.is_for_all = true;
		for (size_t i = 0; i < metrics->count; i++) {
			limit.metric = metrics->at[i];
			add_limit(limits, &limit);
		}
		return NULL;
	}
	while (colon && item[colon - 1] != ':')
		colon--;
	if (!colon || !parse_metric(item, colon - 1, &limit.metric))
		return "not METRIC:LIMIT with a metric among " METRIC_WORDS;
	limit.text = item + colon;
	limit.length = length - colon;
	if (!parse_growth(limit.text, limit.length, &limit))
		return "a limit is a share as in 1%, or a number";
	add_limit(limits, &limit);
	return NULL;
}

const char *parse_limits(const char *text, const struct metrics *metrics, struct limits *limits)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		const char *wrong = parse_item(text, length, metrics, limits);

		if (wrong || !text[length])
			return wrong;
		text += length + 1;
	}
}

/* ---- judging ----------------------------------------------------------------------------- */

uint64_t value_of_pair(const struct matching *m, uint32_t pair, unsigned side,
		       const struct metric *metric)
{
	uint32_t index = m->pairs.at[pair].of[side];
	const struct compared_function *f;

	if (index == COMPARE_NONE)
		return 0;
	f = &m->results[side].functions.at[index];
	return function_value(f, metric);
}

/* Returns whether a value grew too much. total: of the first trace. */
static bool exceeds(const struct limit *limit, uint64_t total, const uint64_t values[2])
{
	if (values[1] <= values[0])
		return false;
	uint64_t growth = values[1] - values[0];

	return limit->is_share
		       ? (long double)growth > (long double)limit->share * (long double)total
		       : growth > limit->count;
}

static void check(struct verdict *verdict, const struct limit *limit, uint64_t total, uint32_t pair,
		  uint64_t a, uint64_t b)
{
	struct excess excess = { limit, pair, { a, b } };

	if (!exceeds(limit, total, excess.values))
		return;
	CHECKED_RESERVE(verdict->excesses, verdict->excesses.count + 1);
	verdict->excesses.at[verdict->excesses.count++] = excess;
}

static bool read_totals(const struct matching *m, const struct metric *metric, uint64_t totals[2])
{
	for (unsigned side = 0; side < 2; side++)
		if (!result_total(&m->results[side], metric, &totals[side])) {
			command_error("%s: has no %s", shown_name(m->results[side].file),
				      metric->name);
			if (m->results[side].is_saved)
				command_note("save it again with --metric=%s", metric->name);
			return false;
		}
	return true;
}

static bool judge_functions(struct verdict *verdict, const struct matching *m,
			    const struct limit *limit)
{
	uint64_t totals[2];

	if (!metric_is_by_function(&limit->metric)) {
		command_error("%s is not known by function", limit->metric.name);
		return false;
	}
	if (!read_totals(m, &limit->metric, totals))
		return false;
	for (uint32_t pair = 0; pair < m->pairs.count; pair++)
		check(verdict, limit, totals[0], pair, value_of_pair(m, pair, 0, &limit->metric),
		      value_of_pair(m, pair, 1, &limit->metric));
	return true;
}

bool judge(struct verdict *verdict, const struct matching *m, const struct limits *limits,
	   const struct limits *by_function)
{
	uint64_t totals[2];

	for (size_t i = 0; i < limits->count; i++) {
		if (!read_totals(m, &limits->at[i].metric, totals))
			return false;
		check(verdict, &limits->at[i], totals[0], COMPARE_NONE, totals[0], totals[1]);
	}
	for (size_t i = 0; i < by_function->count; i++)
		if (!judge_functions(verdict, m, &by_function->at[i]))
			return false;
	return true;
}

/* ---- explaining -------------------------------------------------------------------------- */

/* Returns the pair whose exclusive value grew most, or COMPARE_NONE. */
static uint32_t greatest_growth(const struct matching *m, const struct metric *metric)
{
	uint32_t found = COMPARE_NONE;
	uint64_t most = 0;

	for (uint32_t pair = 0; metric_is_by_function(metric) && pair < m->pairs.count; pair++) {
		uint64_t a = value_of_pair(m, pair, 0, metric);
		uint64_t b = value_of_pair(m, pair, 1, metric);

		if (b > a && b - a > most) {
			most = b - a;
			found = pair;
		}
	}
	return found;
}

/* Returns " (+1.234 %)", or "" for a growth from 0. Free it. */
static char *growth_of(const uint64_t values[2])
{
	return values[0] ? text_format(" (+%.3f %%)",
				       100 * ((double)values[1] / (double)values[0] - 1))
			 : checked_copy("");
}

static void explain_excess(const struct excess *excess, const struct matching *m)
{
	const struct metric *metric = &excess->limit->metric;
	uint32_t pair = excess->pair == COMPARE_NONE ? greatest_growth(m, metric) : COMPARE_NONE;
	char a[COUNT_SIZE], b[COUNT_SIZE], more[COUNT_SIZE];
	char *growth = growth_of(excess->values);
	char *where = excess->pair == COMPARE_NONE
			      ? checked_copy("in all")
			      : escape_text(function_of_pair(m, excess->pair)->name);
	char *most = checked_copy("");

	if (pair != COMPARE_NONE) {
		char *name = escape_text(function_of_pair(m, pair)->name);

		free(most);
		most = text_format("; %s grew most, by %s", name,
				   format_count(value_of_pair(m, pair, 1, metric) -
							value_of_pair(m, pair, 0, metric),
						more));
		free(name);
	}
	command_note("%s %s: %s, was %s%s: more than %.*s%s", metric->name, where,
		     format_count(excess->values[1], b), format_count(excess->values[0], a), growth,
		     (int)excess->limit->length, excess->limit->text, most);
	free(growth);
	free(where);
	free(most);
}

void explain_verdict(const struct verdict *verdict, const struct matching *m)
{
	enum { MOST = 20 };

	for (size_t i = 0; i < verdict->excesses.count && i < MOST; i++)
		explain_excess(&verdict->excesses.at[i], m);
	if (verdict->excesses.count > MOST)
		command_note("%zu more values grew by more than their limits",
			     verdict->excesses.count - MOST);
}
