/* SPDX-License-Identifier: MIT */
/*
 * The flame graph as SVG (B. Gregg, The Flame Graph, CACM 59(6), 2016), and the differential flame
 * graph of two traces (B. Gregg, Differential Flame Graphs, 2014): each frame is as wide as in one
 * of the traces, and colored by the change of its exclusive instructions.
 */
#ifndef REPORT_FLAME_SVG_H
#define REPORT_FLAME_SVG_H

#include <stdio.h>

#include "cli/report/chart.h"

/*
 * Writes the tree of call paths as rectangles, callers below their callees, with the width by
 * inclusive instructions. table: that of a chart of the kind CHART_FLAME or
 * CHART_DIFFERENTIAL_A or _B, in which a caller stands before its callees, and its callees before
 * the next path of its depth.
 */
void write_flame_svg(FILE *out, const struct chart *chart, const json_t *table);

#endif
