/* SPDX-License-Identifier: MIT */
/*
 * Follows one thread through calls and loops. Calls are matched with returns by the place of the
 * return address on the stack, which holds without frame pointers or debug information, and through
 * tail calls, longjmp, exceptions and switches of stacks.
 */
#ifndef SLO_WALKER_H
#define SLO_WALKER_H

#include "analyzers/slo/code.h"
#include "analyzers/slo/levels.h"
#include "traceformat/common/hash_table.h"

/* A function that a thread has called. */
struct walker_function {
	uint32_t key;    /* the function */
	uint32_t frames; /* whose levels are those of the function */
};

struct walker {
	const struct slo_code *code;
	struct levels levels;                         /* live now; functions' sites are nodes */
	ARRAY(uint32_t) loops;                        /* by level: which loop it is, or SLO_NONE */
	ARRAY(struct walker_frame) frames;            /* the innermost one last */
	HASH_TABLE(struct walker_function) functions; /* that have been called */
	uint32_t block;                               /* of the latest execution, or SLO_NONE */
	uint32_t piece;                               /* where in it control is, */
	uint16_t executed; /* and how many of its instructions were executed */
	struct walker_transfer {
		uint8_t kind;  /* enum slo_end_kind */
		uint64_t slot; /* where the return address is; the number of a dispatch */
	} transfer;            /* how it ended */
	void (*landed)(void *opaque, uint32_t from, uint32_t to);
	void *opaque; /* for `landed`, which may be NULL; it gets each landing: caller's node, present place */
	bool folded; /* calls or contexts were too many: inner ones are not told
					   apart */
};

/*
 * Initializes a walk. Several walks may share contexts, which must outlive them. Ends the process
 * if memory is out.
 */
void walker_init(struct walker *walker, const struct slo_code *code, struct contexts *contexts);
void walker_free(struct walker *walker);

/* Begins an execution with values, which are not used later. */
void walker_enter(struct walker *walker, const struct tf_block_exec *exec);

void walker_to_piece(struct walker *walker, unsigned insn); /* for walker_to */

/* Moves to an instruction of the block entered last; instructions must not descend. */
static inline void walker_to(struct walker *walker, unsigned insn)
{
	if (insn >= walker->code->graph.pieces.at[walker->piece].end)
		walker_to_piece(walker, insn);
}

void walker_event(struct walker *walker, const struct tf_event *event);

#endif
