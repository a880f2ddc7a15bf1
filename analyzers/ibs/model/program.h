/* SPDX-License-Identifier: MIT */
/* The ops of a trace, in the order of a thread, and which of its branches are mispredicted. */
#ifndef IBS_PROGRAM_H
#define IBS_PROGRAM_H

#include "analyzers/ibs/model/code.h"
#include "analyzers/ibs/model/pipeline.h"
#include "analyzers/ibs/model/predictor.h"

enum {
	IBS_PROGRAM_RUNS = 32,
	IBS_PROGRAM_OPS = 128,
	IBS_PROGRAM_ACCESSES = 8 * IBS_MAX_ACCESSES,
};

/* The ops of one thread. An op is handed on once the next one gives its next pc. */
struct ibs_program {
	const struct ibs_code *code;
	/* The next two may change the place for runs, which are theirs to change. */
	void (*consume)(void *opaque, const struct ibs_op *ops, size_t count);
	void (*run)(void *opaque, struct ibs_run *runs, size_t count);
	void *opaque;
	struct ibs_run *runs; /* place for IBS_PROGRAM_RUNS */
	struct predictor predictor;
	uint32_t rep_bytes;               /* see struct machine */
	size_t n_runs, n_ops, n_accesses; /* not handed on; either runs or ops */
	struct ibs_op ops[IBS_PROGRAM_OPS];
	struct access accesses[IBS_PROGRAM_ACCESSES];
};

/*
 * Initializes a program that is 0 except consume, run, opaque and runs. machine and code must
 * outlive the program. Ends the process if memory is out.
 */
void ibs_program_init(struct ibs_program *program, const struct machine *machine,
		      const struct ibs_code *code);
void ibs_program_free(struct ibs_program *program);

/* Takes an item of blocks with addresses. */
void ibs_program_feed(struct ibs_program *program, const struct tf_item *item);

/* Hands on the last ops. */
void ibs_program_end(struct ibs_program *program);

#endif
