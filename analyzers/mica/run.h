/* SPDX-License-Identifier: MIT */
/* Feeds executions to an analysis, and ends intervals as MICA does. */
#ifndef MICA_RUN_H
#define MICA_RUN_H

#include "analyzers/mica/analysis.h"
#include "cli/common/tracereport.h"

/* Counts of the whole run, and of the interval under way. */
struct mica_counts {
	uint64_t executions, instructions; /* a rep instruction of count 0 is no instruction */
};

/* Defines "mica_instructions" and "executions" in the legend of a report. */
void mica_define_counts(struct report *report);

/* The numbers of an analysis for an interval. */
struct mica_line {
	bool last; /* up to the end of the program, shorter than others, maybe empty */
	struct mica_counts interval, total;
	unsigned n_numbers;
	const uint64_t *numbers; /* valid until emit returns */
};

struct mica_run {
	const struct mica_analysis *analysis;
	void *state;                   /* the analysis's; NULL: not started */
	uint64_t interval;             /* instructions; 0: none */
	struct mica_counts total, now; /* of intervals that have ended; of the one under way */
	void (*emit)(void *opaque, const struct mica_line *line);
	void *opaque;
};

/* Starts run->analysis; the setup must outlive it. */
void mica_run_start(struct mica_run *run, const struct mica_setup *setup);

/* Returns how many of the events are instructions. */
uint64_t mica_instructions(const struct mica_event *events, size_t count);

/* Feeds events. instructions: mica_instructions of the events. */
void mica_run_feed(struct mica_run *run, const struct mica_event *events, size_t count,
		   uint64_t instructions);

/* Does the same for an execution of a superblock. */
void mica_run_superblock(struct mica_run *run, const struct mica_superblock_exec *exec);

/* Forgets what was counted so far, as at the end of an interval. */
void mica_run_forget(struct mica_run *run);

/*
 * Adds what another run of the same analysis has been fed to what this one has; neither has
 * intervals. The analysis must have merge. counts: the executions of the other one are added.
 * Returns 0 or ANALYZER_FEED_AGAIN.
 */
int mica_run_merge(struct mica_run *run, const struct mica_run *later, bool counts);

/* Ends the last interval. */
void mica_run_end(struct mica_run *run);

void mica_run_stop(struct mica_run *run);

#endif
