/* SPDX-License-Identifier: MIT */
/* A report as files in a folder: for each chart a picture and its data. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Checks that the files can be written: none is the trace, and without force none exists. Returns
 * EXIT_DONE, or EXIT_FAILED after a message.
 */
int check_chart_files(const char *folder, const char *trace, bool force);

/*
 * Writes for each chart whose data the document has NAME.csv, NAME.svg and, if gnuplot draws the
 * picture, the script NAME.gnuplot, to the folder, which is made if it does not exist. Returns
 * EXIT_DONE, or EXIT_FAILED after a message; without gnuplot, the other files are written.
 */
int write_charts(const char *folder, const json_t *document);

#endif
