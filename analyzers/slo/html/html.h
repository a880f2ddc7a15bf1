/* SPDX-License-Identifier: MIT */
/*
 * Locality advice as a page for a browser: one file, which needs no other one and no network. The
 * page is trace-report's, with only this result.
 */
#ifndef SLO_HTML_H
#define SLO_HTML_H

#include "analyzers/slo/html/contents.h"
#include "cli/common/command.h"
#include "cli/common/save_file.h"

/* Creates the file, before the work. It gets its name, which must last, when it is written. Returns
 * NULL after a message. */
struct save_file *slo_html_open(const char *path, const char *trace);

/*
 * Writes and closes the file, and reports the source files in it. Returns EXIT_DONE, or EXIT_FAILED
 * after a message, without a file.
 */
int slo_html_write(struct save_file *file, const struct slo_html *html);

#endif
