/* SPDX-License-Identifier: MIT */
/*
 * The executions of superblocks, by exit, as a call tree sees them: runs of basic blocks of one
 * function, of which only the last one may change the call stack.
 */
#ifndef CALLS_SUPERBLOCKS_H
#define CALLS_SUPERBLOCKS_H

#include "analyzers/calls/costs.h"
#include "analyzers/calls/functions.h"
#include "analyzers/program/call_frames.h"
#include "traceformat/common/array.h"

enum call_jumped { CALL_FELL, CALL_JUMPED, CALL_JUMPED_BEFORE /* as the steps before left it */ };

/* A basic block. */
struct call_block {
	struct call_sums costs; /* of an execution, if it is simple */
	uint8_t effect;         /* enum call_effect */
	bool simple;            /* all of it is one function's, and its costs are static */
	uint32_t slot;          /* number of the value, or TF_NONE */
	uint32_t function;      /* of its first piece */
	uint32_t node;          /* the detail node that executed it last, or CALL_NONE */
	uint32_t counter;       /* number of the counter of its executions there */
};

/* The code of a trace. */
struct call_code {
	const struct call_functions *functions;
	const struct call_block *blocks; /* by block id */
	bool has_slots;                  /* executions come with values */
};

struct call_run {
	struct call_sums costs;
	uint64_t pc;   /* of the first block */
	uint64_t slot; /* number of the superblock's value, or the return address */
	uint32_t function;
	uint32_t site;  /* the last block */
	bool begins;    /* the first block is the beginning of the function */
	uint8_t jumped; /* enum call_jumped, behind the last block */
	uint8_t effect; /* enum call_effect of the last block; its slot is known */
};

/* The exits of a superblock share all runs but their last ones, so that memory grows with exits. */
struct call_exit {
	struct call_run last;
	uint32_t first, n; /* runs before the last one */
	uint32_t n_values;
	bool is_static; /* false: there are no runs, and the blocks are walked one by one */
};

struct call_superblocks {
	struct call_exit *exits; /* by exit id */
	ARRAY(struct call_run) runs;
};

/* Reads the superblocks of a trace. Ends the process if memory is out. */
void call_superblocks_init(struct call_superblocks *superblocks, const struct call_code *code);
void call_superblocks_free(struct call_superblocks *superblocks);

#endif
