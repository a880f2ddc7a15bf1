/* SPDX-License-Identifier: MIT */
/* The source files of a page of locality advice, as JSON: the lines around marked ones. */
#ifndef SLO_HTML_FILES_H
#define SLO_HTML_FILES_H

#include <jansson.h>

#include "analyzers/slo/html/sources.h"

/*
 * Returns an array of files: {"file": its number, "path", "complete": false if the file lacks lines
 * that the program has, "lines": [[number, text], ...], "touches": [[line, rank or 0, "use" or
 * "reuse", reuses], ...], "bars": [[rank, first line, last line, line, lane], ...]}.
 */
json_t *html_files(const struct html_sources *sources);

/* Returns an array of the files that the page cannot show: {"path", "why"}. */
json_t *html_absent_files(const struct html_sources *sources);

#endif
