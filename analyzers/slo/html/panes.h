/* SPDX-License-Identifier: MIT */
/* The source panes of a page of locality advice. */
#ifndef SLO_HTML_PANES_H
#define SLO_HTML_PANES_H

#include <stdio.h>

#include "analyzers/slo/html/sources.h"

/* The class that has the colour of a rank: "c1"; "c0" of all that have none of their own. */
enum { HTML_COLOURS = 12 };
static inline unsigned html_colour(uint32_t rank)
{
	return rank <= HTML_COLOURS ? rank : 0;
}

/*
 * Writes the lines around marked ones, and the names of files that are not here. reuses: the total.
 */
void html_put_panes(FILE *out, const struct html_sources *sources, uint64_t reuses);

#endif
