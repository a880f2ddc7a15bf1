/* SPDX-License-Identifier: MIT */
/* The command line of trace-record. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "recorder/recorder.h"

enum { ONLINE_MAX_K = 10000 }; /* most clusters of --points=online */

struct arguments {
	struct record_options options;
	struct record_function *functions; /* the user's functions first, then the default ones */
	size_t n_functions;
	bool no_functions, vectors, quiet;
	const char *cache;  /* of --cache; NULL: not given */
	const char *points; /* a plan, see points.h; NULL: none */
	bool online;        /* instead: choose points while recording, see online.h */
	uint64_t warmup;    /* instructions before each point; UINT64_MAX: as the plan says */
};

/*
 * Fills in *arguments, whose functions have room for as many as there are words and defaults.
 * Returns OPTION_DONE to record, or the exit status to end with.
 */
int arguments_parse(int argc, char **argv, struct arguments *arguments);

#endif
