/* SPDX-License-Identifier: MIT */
/* Runs the commands of a report's parts, and puts their results into its document. */
#ifndef REPORT_COLLECT_H
#define REPORT_COLLECT_H

#include <jansson.h>
#include <stdbool.h>

struct report_request {
	const char *trace;
	const char *other;          /* a trace to be compared with it; NULL: none */
	const char *results;        /* a folder with results of trace-analyze --all; NULL: none */
	const char *only;           /* groups of parts, divided by commas; NULL: all */
	const char *const *sources; /* folders of source files that the page may contain */
	unsigned n_sources;
	bool has_sources;    /* the output contains source files */
	const char *output;  /* the page, for messages */
	const char *machine; /* of the models; NULL: their default */
	unsigned jobs;       /* commands at a time; 0: as many as there are cores */
	bool quiet;
	bool only_plans; /* nothing is computed */
};

/*
 * Adds "traces", "results", "commands", "exactness", "failed", "unsuitable" and "notes" to the
 * document, and "compare" if there are two traces. Returns EXIT_DONE; EXIT_FAILED after messages if
 * some part failed, whose reason is then in "failed"; and *unusable is set if there is nothing to
 * be reported.
 */
int collect_results(const struct report_request *request, json_t *document, bool *unusable);

/*
 * Adds to an object, by analyzer, an array of the options with which the report runs it and which
 * may share a pass, so that trace-analyze --all computes these results, too. Returns an exit code,
 * after a message.
 */
int list_passes(const struct report_request *request, json_t *passes);

#endif
