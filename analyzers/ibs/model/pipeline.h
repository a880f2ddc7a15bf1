/* SPDX-License-Identifier: MIT */
/*
 * When each op of a program is dispatched, issued, completed and retired: one pass over the program
 * in its order, O(1) an op, after the interval models of processors (T. E. Carlson et al.,
 * "Sniper", SC 2011). Each repetition of a rep instruction is an op, or of several that are
 * adjacent.
 *
 *	F  fetch: a line a cycle, plus what L1I and ITLB miss; not before a mispredicted branch's
 *	   C + restart
 *	D  dispatch, in order: F + frontend_depth, dispatch_width a cycle, and only with room in the
 *	   reorder buffer and the queues
 *	I  issue: after D, once all sources are there; as many as are ready, ports are not modeled
 *	C  completion: I + latency; a load's after its memory and the older stores to the same bytes
 *	T  retirement, in order: after C, retire_width a cycle
 */
#ifndef IBS_PIPELINE_H
#define IBS_PIPELINE_H

#include "analyzers/ibs/model/code.h"
#include "analyzers/ibs/model/forwarding.h"
#include "analyzers/ibs/model/frontend.h"
#include "analyzers/ibs/model/insn.h"
#include "analyzers/ibs/model/memory.h"
#include "analyzers/ibs/model/sampler.h"

/* An op that a thread executed. */
struct ibs_op {
	const struct ibs_op_facts *facts;
	const struct access *accesses; /* reads and writes */
	uint64_t next_pc;              /* of a branch: where it went */
	uint32_t n_accesses;
	bool taken;        /* conditional branches */
	bool mispredicted; /* any branch */
	bool repeats;      /* a further repetition of the same execution as the op before */
};

/*
 * Ops that a thread executed one after the other, none of them odd. Few bytes, as there are many.
 */
struct ibs_run {
	const struct ibs_code_op *ops;
	const uint64_t *values; /* of the execution of their block */
	uint64_t next_pc;       /* of the last op, like taken and mispredicted */
	uint32_t n_ops;
	uint16_t n_values;
	bool taken, mispredicted;
};

/* The course of an op through the pipeline; times are in cycles. */
struct ibs_timing {
	uint64_t dispatched, issued, completed, retired;
	unsigned n_fetches; /* new ones of frontend.fetches */
	bool mispredicted;
	struct memory_access memory; /* of ops that access it */
};

/* A buffer of ops: when each of its entries is free again. */
struct ibs_queue {
	uint32_t size, next; /* entries; the oldest one, which the next one replaces */
	uint64_t *free_at;
};

/* A point that ops pass in order, a limited number in each cycle. */
struct ibs_passage {
	uint64_t cycle;        /* in which the last op passed */
	uint32_t count, width; /* ops that passed in this cycle, and the most that can */
};

/* The state for which each op waits, and which it changes. */
struct ibs_order {
	struct ibs_passage dispatch, retirement;
	struct ibs_queue rob;
};

struct pipeline {
	const struct machine *machine;
	const struct ibs_step *steps; /* of the code whose runs are executed */
	struct frontend frontend;
	struct memory memory;
	struct forwarding forwarding;
	struct ibs_order order;
	struct ibs_queue loads, stores;
	uint64_t registers[IBS_N_REGISTERS]; /* when they are known */
};

/*
 * Initializes a pipeline, which l3 and the machine must outlive and which must not be moved. Ends
 * the process if memory is out.
 */
void pipeline_init(struct pipeline *pipeline, const struct machine *machine, struct set_cache *l3);
void pipeline_free(struct pipeline *pipeline);

/* Executes the next op of the program. */
void pipeline_step(struct pipeline *pipeline, const struct ibs_op *op, struct ibs_timing *timing);

/* Counts the ops that are dispatched in a cycle or later, for two cycles. */
struct ibs_dispatched {
	uint64_t from[2], n[2];
};

/*
 * Executes many ops that are not observed, with the same effect but faster, and counts them.
 * Returns the number of fetches that they took.
 */
uint64_t pipeline_run(struct pipeline *pipeline, const struct ibs_run *runs, size_t count,
		      struct ibs_dispatched *dispatched);

/* Writes op i of a run, with its accesses. steps: of the code. */
void ibs_run_op(const struct ibs_run *run, const struct ibs_step *steps, size_t i,
		struct ibs_op *op, struct access accesses[IBS_MAX_ACCESSES]);

/* Returns the wrong path after a mispredicted branch: as many ops as can be in flight. */
static inline struct ibs_wrong_path pipeline_wrong_path(const struct machine *machine,
							const struct ibs_timing *branch)
{
	return (struct ibs_wrong_path){
		branch->dispatched + 1,
		branch->completed,
		machine->dispatch_width,
		machine->rob,
	};
}

/* Returns the cycle in which the last op retired. */
static inline uint64_t pipeline_cycles(const struct pipeline *pipeline)
{
	return pipeline->order.retirement.cycle;
}

#endif
