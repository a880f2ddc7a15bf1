/* SPDX-License-Identifier: MIT */
/* The histogram of a page of locality advice: the data that its script draws, and its numbers. */
#ifndef SLO_HTML_HISTOGRAM_H
#define SLO_HTML_HISTOGRAM_H

#include <stdio.h>

#include "analyzers/slo/html/contents.h"
#include "analyzers/slo/html/sources.h"

/* Writes the controls of the drawing, and a table of its numbers by kind. */
void html_put_histogram(FILE *out, const struct slo_html *html);

/* Writes the script's data as a JSON object. */
void html_put_data(FILE *out, const struct slo_html *html, struct html_sources *sources);

#endif
