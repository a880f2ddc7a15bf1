/* SPDX-License-Identifier: MIT */
/*
 * The progress of a command, as a line on stderr. The line is shown only on a terminal, unless the
 * command is quiet, and changes at most 5 times a second.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *label;
	uint64_t total; /* in the unit of progress_update's `done`; 0: not known */
	bool active;
	uint64_t last_ns;
};

void progress_begin(struct progress *progress, const char *label, uint64_t total, bool quiet);
void progress_update(struct progress *progress, uint64_t done);
/* Erases the line. */
void progress_end(struct progress *progress);

/* Erases the line, if one is shown, before a message takes its place. */
void progress_erase(void);

#endif
