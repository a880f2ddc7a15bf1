/* SPDX-License-Identifier: MIT */
/* Reads source files on this computer. */
#ifndef SLO_HTML_FILE_H
#define SLO_HTML_FILE_H

#include "analyzers/slo/html/roots.h"

enum { MOST_SOURCE_BYTES = 4 << 20 };

/* Reads a whole text that a page may show. Returns its bytes, to be freed, or NULL and *why: it "is
 * not here". */
char *html_read_source(const struct html_roots *roots, const char *path, size_t *size,
		       const char **why);

#endif
