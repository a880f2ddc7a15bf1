/* SPDX-License-Identifier: MIT */
/*
 * Several results of one pass over a trace, for --also: the state of the pass serves for the
 * options of all results, and each result is a report of that state.
 */
#ifndef SHARED_PASS_H
#define SHARED_PASS_H

#include "analyzers/common/options.h"
#include "analyzers/common/results.h"

struct pass_result {
	void *options;     /* the analyzer's own */
	uint64_t interval; /* of a table of intervals; 0: the result is of everything */
	const char *text;  /* of --also; NULL for the first result */
	char *words;       /* of that text */
	bool left_out;     /* the result needs a pass of its own */
	struct report *report;
};

struct shared_pass {
	void *options;     /* own, for which the state of the pass is made */
	uint64_t interval; /* that of the only result that has one; 0: none */
	struct pass_result results[1 + MAX_ALSO];
	unsigned count; /* 0: there is no --also */
};

/*
 * Parses settings->also. own: options of the first result. Returns 0, or an exit code after a
 * message; free the pass in either case.
 */
int shared_pass_parse(struct shared_pass *pass, const struct settings *settings, void *own);

/*
 * Makes the options and the interval of the pass for a trace, before the analyzer's prepare. Leaves
 * out the results that need a pass of their own. Sets members of *run.
 */
void shared_pass_begin(struct shared_pass *pass, struct analysis *run);

/*
 * Writes the results to *results, which is open, as an array in JSON; those that are left out are
 * null. With --results, the first result goes to the two files, and the others go to
 * NAME.report.json, an object with their options as keys. Returns 0, or an exit code after a
 * message.
 */
int shared_pass_write(const struct shared_pass *pass, struct results *results);

/* Frees the pass with its reports. */
void shared_pass_free(struct shared_pass *pass);

#endif
