/* SPDX-License-Identifier: MIT */
/* The plan that trace-bbv's options make, checked against the trace. */
#ifndef BBV_PLAN_H
#define BBV_PLAN_H

#include "analyzers/bbv/homes.h"
#include "analyzers/bbv/lengths.h"
#include "analyzers/bbv/options.h"

/* Free it with bbv_plan_free. */
struct bbv_plan {
	enum bbv_rules rules;
	struct leaders *leaders;    /* NULL unless the rules want them */
	uint32_t mark;              /* region index, TF_NONE without --interval-mark */
	struct bbv_homes *homes;    /* as leaders */
	struct executed executed;   /* likewise */
	uint64_t interval;          /* instructions, unless a mark ends intervals */
	uint64_t recorded;          /* instructions of an interval of recorded vectors */
	bool keep_last;             /* the last interval of a thread is written, though short */
	struct bbv_lengths lengths; /* behind the heads of pieces */
};

/*
 * Makes the plan of a run, and chooses its columns. Returns 0, or an exit code after a message.
 * Free *plan in either case.
 */
int bbv_plan_make(struct analysis *run, struct bbv_plan **plan);
void bbv_plan_free(struct bbv_plan *plan);

#endif
