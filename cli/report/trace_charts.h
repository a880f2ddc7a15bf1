/* SPDX-License-Identifier: MIT */
/* The tables of charts of one trace, made of the results in the document of a report. */
#ifndef REPORT_TRACE_CHARTS_H
#define REPORT_TRACE_CHARTS_H

#include "cli/report/chart.h"

/* The columns of a table of the results; numbers stand before texts. */
json_t *make_rows(const struct chart *chart, const json_t *document);

/*
 * Returns the rows of a chart of curves: one for each x, in ascending order, with a column for each
 * series. The results have these numbers as a table with the columns x, y, series.
 */
json_t *make_curves(const struct chart *chart, const json_t *document);

/* As make_curves(), with the share of each series up to x. */
json_t *make_cumulative(const struct chart *chart, const json_t *document);

/*
 * Facts such as "mica.ppm.gag_12_misprediction_percent". columns: x, the end of the names, then the
 * series.
 */
json_t *make_facts(const struct chart *chart, const json_t *document);

/* The metrics of the phases, and the cluster of each interval. */
json_t *make_intervals(const struct chart *chart, const json_t *document);

/* MICA's characteristics of the trace and of the programs of the reference. */
json_t *make_profile(const struct chart *chart, const json_t *document);

/* The reuses of each kind by distance, up to the first distance that has none. */
json_t *make_reuses(const struct chart *chart, const json_t *document);

#endif
