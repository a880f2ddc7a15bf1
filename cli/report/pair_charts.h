/* SPDX-License-Identifier: MIT */
/*
 * The tables of charts that compare two traces, made of the result of trace-compare. The place of a
 * chart is the name of the table in that result.
 */
#ifndef REPORT_PAIR_CHARTS_H
#define REPORT_PAIR_CHARTS_H

#include "cli/report/chart.h"

/* The columns of a differential flame graph. */
#define PAIR_PATH_COLUMNS                                                                  \
	"path", "caller", "depth", "exclusive_instructions_a", "exclusive_instructions_b", \
		"inclusive_instructions_a", "inclusive_instructions_b", "function", "module"

/* Returns the columns of the table, all rows. */
json_t *make_pair_rows(const struct chart *chart, const json_t *document);

/*
 * Returns the functions of which a number changed, the greatest change first: "NUMBER_change",
 * "NUMBER_a", "NUMBER_b", "function", "module". The chart's first column is the number.
 */
json_t *make_changes(const struct chart *chart, const json_t *document);

/* Returns the second column for each pair of intervals, over the number of the pair. */
json_t *make_distances(const struct chart *chart, const json_t *document);

#endif
