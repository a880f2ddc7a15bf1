/* SPDX-License-Identifier: MIT */
/* The command line of trace-record. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "recorder/recorder.h"

struct arguments {
	struct record_options options;
	struct record_function *functions; /* the user's functions first, then the default ones */
	size_t n_functions;
	bool no_functions, quiet, stats, done;
};

/*
 * Fills in *arguments, whose functions have room for as many as there are words and defaults.
 * Returns EXIT_DONE, or the exit status after a message. *done tells that the command has nothing left to do.
 */
int arguments_parse(int argc, char **argv, struct arguments *arguments);

#endif
