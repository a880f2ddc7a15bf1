/* SPDX-License-Identifier: MIT */
/* Several reports as one. */
#ifndef REPORT_JOIN_H
#define REPORT_JOIN_H

#include "cli/common/tracereport.h"

/*
 * Adds a report to `all`, with `name` as the first column of each row: its facts as a row of the
 * table "traces", without the fact of the name `column`, and the rows of each table to the table of
 * that name. Columns that only some of the reports have are empty in the rows of the others. A
 * legend is added if there is none yet. The report can then be freed, and what its columns need.
 */
void report_join(struct report *all, const char *column, const char *name,
		 const struct report *report);

/*
 * Moves the rows of the last table of a report to the end of the last table of another one, which
 * has the same columns.
 */
void report_take_rows(struct report *to, struct report *from);

#endif
