/* SPDX-License-Identifier: MIT */
/*
 * The charts that a report has as files, and their data: tables made of the results in the document
 * of a report.
 */
#ifndef REPORT_CHARTS_H
#define REPORT_CHARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/report/chart.h"

extern const struct chart charts[];
extern const size_t n_charts;

/*
 * Returns {"columns": [name ...], "rows": [[value ...] ...]}: in each row numbers or null, then
 * texts, which are untrusted. Returns NULL if the document does not have the data, or
 * nothing of these could be drawn.
 */
json_t *chart_table(const struct chart *chart, const json_t *document);

/* Returns whether any row of a table has a number in a column. */
bool column_has_numbers(const json_t *table, size_t column);

#endif
