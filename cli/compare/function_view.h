/* SPDX-License-Identifier: MIT */
/* The table of functions, and the columns that it shares with the table of call paths. */
#ifndef COMPARE_FUNCTION_VIEW_H
#define COMPARE_FUNCTION_VIEW_H

#include "cli/common/tracereport.h"
#include "cli/compare/comparison.h"

/* Columns that depend on the metrics. Free `at`. */
struct view_columns {
	ARRAY(struct report_column);
	struct texts *texts; /* keeps their names */
};

/* Adds a column. The last one has no name. */
void add_view_column(struct view_columns *columns, const char *name, enum report_type type);

/* Returns the first metric that functions or paths have, as `has` says, or that of instructions. */
struct metric first_metric(const struct metrics *metrics, bool (*has)(const struct metric *));

/* Returns the name of a pair's function, and its old name: "old -> new". Free it. */
char *name_of_pair(const struct matching *matching, uint32_t pair);

void view_functions(const struct comparison *comparison, struct report *report);

#endif
