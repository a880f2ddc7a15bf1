/* SPDX-License-Identifier: MIT */
/*
 * A progress line on stderr: only if stderr is a terminal and it is not quiet, at most 5 times a
 * second.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *label;
	uint64_t total; /* 0: not known */
	bool active;
	uint64_t last_ns;
};

void progress_begin(struct progress *progress, const char *label, uint64_t total, bool quiet);
void progress_update(struct progress *progress, uint64_t done);
/* Erases the line. */
void progress_end(struct progress *progress);

/* Erases the line that is shown, whosever it is, before a message takes its place. */
void progress_erase(void);

#endif
