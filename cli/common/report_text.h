/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the text writer share. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "cli/common/report_parts.h"

/* Returns whether values of a type are numbers, which are aligned at the right. */
bool report_is_number(int type);

/* Returns a name with blanks for underscores. The caller frees it. */
char *report_title(const char *name);

/* Returns a value as text shows it. The caller frees it. */
char *report_text_of(const struct value *value);

/* Returns the greater of a width and that of a text, in characters. */
size_t report_widest(size_t width, const char *text);

/*
 * Writes a table with aligned columns, fitted to a width in characters unless that is 0. A note
 * below a fitted table names the columns that are not shown.
 */
void report_put_text_table(FILE *out, const struct part *part, size_t width);

/* Writes the table of names and meanings; meanings go on in further lines. width: 0: any. */
void report_put_legend(FILE *out, const struct part *legend, size_t width);

/*
 * Writes a text from column `indent` on, and lines that do not exceed the width, each behind the
 * same indent.
 */
void report_put_wrapped(FILE *out, const char *text, size_t indent, size_t width);

#endif
