/* SPDX-License-Identifier: MIT */
/* The ops of a trace, in the order of a thread. */
#ifndef IBS_PROGRAM_H
#define IBS_PROGRAM_H

#include "analyzers/ibs/model/code.h"
#include "analyzers/ibs/model/pipeline.h"

enum {
	IBS_BATCH_RUNS = 32,
	IBS_BATCH_OPS = 128,
	IBS_BATCH_ACCESSES = 8 * IBS_MAX_ACCESSES,
};

/* The ops of one thread. An op is handed on once the next one gives its next pc. */
struct ibs_program {
	const struct ibs_code *code;
	void (*consume)(void *opaque, const struct ibs_op *ops, size_t count);
	void (*run)(void *opaque, const struct ibs_run *runs, size_t count);
	void *opaque;                     /* for both */
	uint32_t rep_bytes;               /* see struct machine */
	size_t n_runs, n_ops, n_accesses; /* not handed on; either runs or ops */
	struct ibs_run runs[IBS_BATCH_RUNS];
	struct ibs_op ops[IBS_BATCH_OPS];
	struct access accesses[IBS_BATCH_ACCESSES];
};

/* Takes an item of blocks with addresses. */
void ibs_program_feed(struct ibs_program *program, const struct tf_item *item);

/* Hands on the last ops. */
void ibs_program_end(struct ibs_program *program);

#endif
