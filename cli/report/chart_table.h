/* SPDX-License-Identifier: MIT */
/* Tables of charts while they are made; see chart_table() in charts.h. */
#ifndef REPORT_CHART_TABLE_H
#define REPORT_CHART_TABLE_H

#include <jansson.h>

/* Returns a table without columns and rows. */
json_t *new_chart_table(void);

/* Adds a column, and takes over the reference to its name. */
void add_chart_column(json_t *table, json_t *name);

/* Returns a new last row, which the table owns. */
json_t *add_chart_row(json_t *table);

/* Adds a value that is also a member of something else; NULL is null. */
void add_chart_value(json_t *row, json_t *value);

/* Adds the rows of a result with these columns, which NULL ends; numbers stand before texts. */
void add_chart_rows(json_t *table, const json_t *rows, const char *const *columns);

#endif
