/* SPDX-License-Identifier: MIT */
/* The state of ilp.c, which ilp_merge.c merges. */
#ifndef MICA_ILP_H
#define MICA_ILP_H

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/clocks.h"

enum {
	ILP_BATCH = 200,
	ILP_LOG = 65536,         /* executions */
	ILP_MERGED_WINDOW = 4096 /* size of the largest window for which such a log is enough */
};

/* Four windows, which are computed together. Some may be unused. */
struct group {
	lanes clock;
	lanes limited;            /* -1; 0: unlimited */
	uint32_t lag[LANES];      /* size - 1 */
	lanes latest;             /* cycle after the latest end of an execution */
	lanes *ring;              /* latest, as it was after each of the last ones; 0 before */
	uint64_t position, mask;  /* latest stands at position & mask */
	uint64_t reported[LANES]; /* cycles */
	lanes *registers;         /* ready, by register */
	struct clocks blocks;     /* ready */
	int64_t life, left;       /* executions until blocks age, and of those to come */
};

/* The first executions of a state that is to be merged. */
struct ilp_log {
	bool open;                 /* these are all executions that have been fed */
	size_t count;              /* at most ILP_LOG */
	struct mica_event *events; /* NULL: the state is not to be merged */
};

struct ilp {
	const struct mica_setup *setup;
	unsigned n_groups;
	struct group *groups;
	bool batched, has_avx2;
	struct mica_event queue[ILP_BATCH];
	unsigned queued;
	struct ilp_log log;
};

void *ilp_start(const struct mica_setup *setup);
void ilp_stop(void *self);
void ilp_feed(void *self, const struct mica_event *events, size_t count);

/* Appends executions to an open log, and closes a log that has no room for all of them. */
void ilp_log_add(struct ilp_log *log, const struct mica_event *events, size_t count);

/* See struct mica_analysis. */
void ilp_expect_merge(void *self);
int ilp_merge(void *self, const void *later);
void ilp_save(void *self, struct state_writer *writer);
void ilp_load(void *self, struct state_reader *reader);

#endif
