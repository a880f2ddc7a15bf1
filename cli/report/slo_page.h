/* SPDX-License-Identifier: MIT */
/*
 * The source lines and histograms of trace-slo, which its JSON does not have: trace-slo writes a
 * page of its own, whose document has them.
 */
#ifndef REPORT_SLO_PAGE_H
#define REPORT_SLO_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct slo_page {
	char *folder; /* of our own; NULL: none could be made */
	char *path;   /* of the page, which trace-slo writes */
	struct unfinished *unfinished;
};

/* Makes the folder, which slo_page_end() removes. Returns false after a warning. */
bool slo_page_begin(struct slo_page *page);
void slo_page_end(struct slo_page *page);

/* Adds to a result of trace-slo what only its page has. */
void slo_page_add(const struct slo_page *page, json_t *result);

/*
 * Prints what trace-slo says about the source files that its page contains: now of the page
 * `output`.
 */
void slo_page_tell(const struct slo_page *page, FILE *messages, const char *output);

#endif
