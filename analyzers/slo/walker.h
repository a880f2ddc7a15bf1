/* SPDX-License-Identifier: MIT */
/*
 * Follows one thread through calls and loops, through tail calls, longjmp, exceptions and switches
 * of stacks; call_frames.h matches calls and returns.
 */
#ifndef SLO_WALKER_H
#define SLO_WALKER_H

#include "analyzers/program/call_frames.h"
#include "analyzers/slo/code.h"
#include "analyzers/slo/levels.h"
#include "traceformat/common/hash_table.h"

/* The parts of an execution of a block that a walk needs. */
struct walker_execution {
	uint32_t block;
	uint16_t executed; /* instructions */
	uint8_t end;       /* enum slo_end_kind */
	bool resumes;      /* the thread goes on behind events or executions of other threads */
};

/* A function that a thread has called. */
struct walker_function {
	uint32_t key;    /* the function */
	uint32_t frames; /* number of its frames that have levels */
};

struct walker {
	const struct slo_code *code;
	struct levels levels;  /* the live levels; sites of functions are nodes */
	ARRAY(uint32_t) loops; /* by level: its loop, or SLO_NONE */
	struct call_frames calls;
	ARRAY(struct walker_frame) frames;            /* of calls, with its index */
	HASH_TABLE(struct walker_function) functions; /* that have been called */
	struct walker_execution latest;               /* its block is SLO_NONE behind its end */
	uint64_t slot;                                /* of the latest */
	uint32_t piece;                               /* the piece of the block that is executed */
	/* Called for each landing, with the caller's node and the landing's; may be NULL. */
	void (*landed)(void *opaque, uint32_t from, uint32_t to);
	void *opaque; /* for `landed` */
	bool folded;  /* there were too many calls or contexts: inner ones have no levels */
};

/*
 * Initializes a walk. Several walks may share contexts, which must outlive them. Ends the process
 * if memory is out.
 */
void walker_init(struct walker *walker, const struct slo_code *code, struct contexts *contexts);
void walker_free(struct walker *walker);

/*
 * Returns what a walk needs of an execution with values, but for the slot: the address of the
 * return address, or the number of a dispatch. *slot is set only if the end is not SLO_GOES_ON.
 */
struct walker_execution walker_execution(const struct slo_code *code,
					 const struct tf_block_exec *exec, uint64_t *slot);

/* slot: read only if the end is not SLO_GOES_ON. */
void walker_enter(struct walker *walker, const struct walker_execution *execution, uint64_t slot);

void walker_to_piece(struct walker *walker, unsigned insn); /* the slow path of walker_to */

/* Moves to an instruction of the block entered last; instructions must not descend. */
static inline void walker_to(struct walker *walker, unsigned insn)
{
	if (insn >= walker->code->graph.pieces.at[walker->piece].end)
		walker_to_piece(walker, insn);
}

void walker_event(struct walker *walker, const struct tf_event *event);

#endif
