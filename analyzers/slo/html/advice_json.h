/* SPDX-License-Identifier: MIT */
/* Locality advice as JSON: the refactorings, and the histograms of their reuse distances. */
#ifndef SLO_HTML_ADVICE_JSON_H
#define SLO_HTML_ADVICE_JSON_H

#include <jansson.h>

#include "analyzers/slo/html/contents.h"
#include "analyzers/slo/html/sources.h"

/*
 * Returns the result as an object. The members of trace-slo's own JSON have the same names there;
 * "bins" are reuses by the logarithm of the distance to the base 2, in blocks; "use_site" and
 * "reuse_site" are [number of the file, line].
 */
json_t *html_advice(const struct slo_html *html, struct html_sources *sources);

#endif
