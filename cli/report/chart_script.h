/* SPDX-License-Identifier: MIT */
/* Scripts of gnuplot that draw charts. */
#ifndef REPORT_CHART_SCRIPT_H
#define REPORT_CHART_SCRIPT_H

#include <stdio.h>

#include "cli/report/charts.h"

/*
 * Writes the script that draws a chart as SVG to the standard output of gnuplot. It reads NAME.csv
 * of the current folder, which has the table. Untrusted texts stand between single quotes, where
 * gnuplot neither runs commands nor replaces anything.
 */
void write_chart_script(FILE *out, const struct chart *chart, const json_t *table);

#endif
