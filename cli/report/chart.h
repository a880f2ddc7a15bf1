/* SPDX-License-Identifier: MIT */
/* A chart that a report has as files. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include <jansson.h>
#include <stdbool.h>

enum chart_kind {
	CHART_BARS,    /* the first column, a bar for each row; the texts of a row are its label */
	CHART_CHANGES, /* as bars, to the left and to the right of 0 */
	CHART_STEPS,   /* the other columns over the first one, constant up to the next row */
	CHART_LINES,   /* the other columns over the first one */
	CHART_PANELS,  /* as lines, each column in a panel of its own */
	CHART_PROFILE, /* columns as % of the one before the texts, points in a line for each row */
	CHART_FLAME,   /* a tree of call paths */
	CHART_DIFFERENTIAL_A, /* the same of two traces, as wide as in the first one */
	CHART_DIFFERENTIAL_B, /* as wide as in the second one */
};

struct chart {
	const char *name; /* of the files, without extension */
	const char *title, *x_axis, *y_axis;
	enum chart_kind kind;
	const char *x_format; /* of gnuplot, for an axis to the base 2; NULL: a linear axis */

	/* How the table is made, and of what; see trace_charts.h, pair_charts.h. */
	json_t *(*make)(const struct chart *chart, const json_t *document);
	const char *place;
	const char *columns[10]; /* NULL ends them */
};

/* Returns whether a chart is a picture of call paths, which gnuplot does not draw. */
static inline bool is_flame_graph(const struct chart *chart)
{
	return chart->kind >= CHART_FLAME;
}

#endif
