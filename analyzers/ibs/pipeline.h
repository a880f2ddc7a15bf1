/* SPDX-License-Identifier: MIT */
/*
 * When each op of a program is dispatched, issued, completed and retired: one pass over the program
 * in its order, O(1) an op, after the interval models of processors (T. E. Carlson et al.,
 * "Sniper", SC 2011). An instruction is one op, and so is each repetition of a rep instruction.
 *
 *	F  fetch: a line a cycle, plus what L1I and ITLB miss; not before a mispredicted branch's C +
 *	   restart
 *	D  dispatch, in order: F + frontend_depth, dispatch_width a cycle, and only with room in the
 *	   reorder buffer and the queues
 *	I  issue: after D, once all sources are there; as many as are ready, for ports are not modelled
 *	C  completion: I + latency; a load's after its memory and the older stores to the same bytes
 *	T  retirement, in order: after C, retire_width a cycle
 */
#ifndef IBS_PIPELINE_H
#define IBS_PIPELINE_H

#include "analyzers/ibs/insn.h"
#include "analyzers/ibs/memory.h"
#include "analyzers/ibs/predictor.h"
#include "analyzers/locality/accesses.h"

enum { IBS_MAX_ACCESSES = 128 };

/* An op that a thread executed. */
struct ibs_op {
	const struct ibs_insn *insn;
	uint64_t next_pc;
	bool taken;		/* conditional branches */
	unsigned n_accesses;	/* reads and writes */
	struct access accesses[IBS_MAX_ACCESSES];
};

/* What became of it; times are in cycles. */
struct ibs_timing {
	uint64_t fetched, dispatched, issued, completed, retired;
	bool mispredicted;
	struct memory_access memory;
};

/* The last entries of a buffer, and when each is free again. */
struct ibs_queue {
	uint32_t size, next;	/* entries; the oldest one, which the next one replaces */
	uint64_t *free_at;
};

enum { IBS_STORE_GRANULES = 4096 };

struct pipeline {
	const struct machine *machine;
	struct memory memory;
	struct predictor predictor;
	uint64_t fetch_line, fetch_next, fetched;	/* + 1, or 0; when the next one can be; when */
	uint64_t dispatched, retired;		/* the last op, and how many in its cycle */
	uint32_t n_dispatched, n_retired;
	struct ibs_queue rob, loads, stores;
	uint64_t registers[IBS_N_REGISTERS];	/* when they are known */
	struct ibs_stored {
		uint64_t granule, completed;	/* the address / 8 */
	} stored[IBS_STORE_GRANULES];
};

/* l3 and the machine must outlive it. Memory that is out ends the process. */
void pipeline_init(struct pipeline *pipeline, const struct machine *machine, struct set_cache *l3);
void pipeline_free(struct pipeline *pipeline);

/* Executes the next op of the program. */
void pipeline_step(struct pipeline *pipeline, const struct ibs_op *op, struct ibs_timing *timing);

#endif
