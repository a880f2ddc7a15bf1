/* SPDX-License-Identifier: MIT */
/* The ranked list of a page of locality advice. */
#ifndef SLO_HTML_LIST_H
#define SLO_HTML_LIST_H

#include <stdio.h>

#include "analyzers/slo/html/sources.h"

/* Writes the first `top` refactorings as a table. */
void html_put_list(FILE *out, const struct slo_advice *advice, const struct slo_places *places,
		   struct html_sources *sources, size_t top);

#endif
