/* SPDX-License-Identifier: MIT */
/* The facts that a page of locality advice shows. */
#ifndef SLO_HTML_CONTENTS_H
#define SLO_HTML_CONTENTS_H

#include "analyzers/slo/advice.h"
#include "analyzers/slo/html/roots.h"

struct slo_html {
	const char *trace, *command; /* command: or NULL */
	bool complete;               /* the trace lacks nothing */
	uint64_t instructions, touches, cold, reuses;
	uint64_t shortest;      /* distance of the reuses, in blocks */
	uint64_t block_size;    /* bytes */
	const uint64_t *cycles; /* by cache: the cost of a miss */
	uint64_t top;           /* number of refactorings that are listed */
	const struct slo_groups *groups;
	const struct slo_advice *advice;
	const struct slo_places *places;
	const char *path;         /* file name of the page */
	struct html_roots *roots; /* the files that the page may show */
};

#endif
