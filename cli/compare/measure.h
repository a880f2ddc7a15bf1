/* SPDX-License-Identifier: MIT */
/* Gets the results of a trace from the commands that compute them. */
#ifndef COMPARE_MEASURE_H
#define COMPARE_MEASURE_H

#include "cli/compare/result.h"

#define DEFAULT_LEVELS "32Ki/8,1Mi/16,32Mi/16"

struct measure {
	const struct metrics *metrics;
	bool advice;        /* trace-slo's, too */
	const char *levels; /* of trace-cache; NULL: DEFAULT_LEVELS */
	const char *region; /* NULL: the whole trace */
	bool filtered;      /* without code that synchronizes threads */
	unsigned jobs;      /* commands at a time; 0: as many as there are cores */
	bool quiet;
};

/*
 * Runs the commands on one or two traces, and sets documents[i] to that of files[i]; an entry whose
 * document is there already is left out. Returns false after a message if a command fails.
 */
bool measure_traces(const struct measure *how, const char *const *files, size_t count,
		    json_t **documents);

#endif
