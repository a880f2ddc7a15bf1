/* SPDX-License-Identifier: MIT */
/* Feeds executions to one analysis or more, and ends intervals as MICA does. */
#ifndef MICA_RUN_H
#define MICA_RUN_H

#include "analyzers/mica/analysis.h"

enum { MICA_MAX_ANALYSES = 16 };

/* Counts of the whole run, and of the interval under way. */
struct mica_counts {
	uint64_t executions, instructions;	/* a rep instruction of count 0 is no instruction */
};

/* The numbers of an analysis for an interval. */
struct mica_line {
	unsigned analysis;	/* in the order in which they were added */
	bool last;		/* up to the end of the program, shorter than others, maybe empty */
	struct mica_counts interval, total;
	unsigned n_numbers;
	const uint64_t *numbers;	/* valid until emit returns */
};

struct mica_run {
	uint64_t interval;	/* instructions; 0: none */
	struct mica_counts total, now;
	void (*emit)(void *opaque, const struct mica_line *line);
	void *opaque;
	unsigned count;
	struct {
		const struct mica_analysis *analysis;
		void *state;
	} analyses[MICA_MAX_ANALYSES];
};

/* Adds an analysis; the setup must outlive the run. */
void mica_run_add(struct mica_run *run, const struct mica_analysis *analysis,
		  const struct mica_setup *setup);

/* `run` is void so that it can be a mica_expander's consume. */
void mica_run_feed(void *run, const struct mica_event *events, size_t count);

/* Ends the last interval. */
void mica_run_end(struct mica_run *run);

void mica_run_stop(struct mica_run *run);

#endif
