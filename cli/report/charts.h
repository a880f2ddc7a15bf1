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

enum chart_kind {
	CHART_BARS,    /* the first column, a bar for each row; the texts of a row are its label */
	CHART_STEPS,   /* the other columns over the first one, constant up to the next row */
	CHART_LINES,   /* the other columns over the first one */
	CHART_PANELS,  /* as lines, each column in a panel of its own */
	CHART_PROFILE, /* columns as % of the one before the texts, points in a line for each row */
	CHART_FLAME,   /* a tree of call paths */
};

struct chart {
	const char *name; /* of the files, without extension */
	const char *title, *x_axis, *y_axis;
	enum chart_kind kind;
	const char *x_format; /* of gnuplot, for an axis to the base 2; NULL: a linear axis */

	/* How the table is made, and of what; see charts.c. */
	json_t *(*make)(const struct chart *chart, const json_t *document);
	const char *place;
	const char *columns[8]; /* NULL ends them */
};

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
