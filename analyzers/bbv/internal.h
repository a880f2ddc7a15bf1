/* SPDX-License-Identifier: MIT */
/* Declarations shared by bbv.c (intervals and lines), count.c (blocks) and paths.c (path exits). */
#ifndef BBV_INTERNAL_H
#define BBV_INTERNAL_H

#include "analyzers/bbv/bbv.h"

enum { BBV_MAX_INSNS = 60, BBV_MAX_VERBOSE_INSNS = 31 };

/* A basic block of the trace, prepared. */
struct code {
	ARRAY(struct bbv_special) specials; /* ascending */
	uint32_t id;                        /* of the block that begins with it; 0: not met yet */
	bool known;                         /* the rest is valid */
	bool ends;                          /* see bbv_block_ends */
};

/* A number of instructions that count to a block. */
struct share {
	uint32_t id, count;
};

/*
 * The counts of an execution of a path that leaves by one exit, begins a block with its first
 * instruction, ends one with its last, and is not interrupted.
 */
struct effect {
	uint32_t total; /* instructions */
	uint32_t first_share, n_shares;
	uint32_t first_rep;
	uint16_t n_reps;
	uint16_t n_fldcw;
	bool known; /* the rest is valid */
};

struct bbv {
	struct bbv_setup setup;
	struct bbv_ids ids;
	struct code *code;      /* by basic block of the trace */
	struct effect *effects; /* by exit */
	ARRAY(struct share) shares;
	ARRAY(uint8_t) reps; /* of the effects: conditions, see struct bbv_special */
	size_t first_new;    /* share of the effect that is being learnt */
};

/* An event before an instruction of the next execution. */
struct mark {
	uint64_t ordinal;
	bool cut; /* an interval ends; else a block does */
};

struct bbv_thread {
	struct bbv *bbv;
	FILE *out;
	uint64_t interval;       /* instructions, or BBV_NO_INTERVAL */
	uint64_t limit;          /* it ends when it has so many */
	ARRAY(uint64_t) counts;  /* by id, of the interval; 0 at and behind its count */
	ARRAY(uint32_t) touched; /* ids whose count is not 0 */
	uint64_t accesses;       /* of the interval, to memory */
	uint64_t *exit_counts;   /* by exit, of the interval: not yet in counts */
	uint32_t *touched_exits;
	uint32_t n_touched_exits;

	uint32_t current;            /* block under way, 0: the next instruction begins one */
	uint32_t has, may_have;      /* instructions */
	uint64_t next_pc;            /* where it goes on */
	const struct tf_block *rest; /* what begins there, if a basic block was left inside */
	unsigned rest_index;

	uint64_t length;   /* of the interval so far */
	uint64_t rep;      /* iterations of the rep under way, not yet counted */
	uint64_t last_rep; /* its address */
	struct bbv_totals totals;
	bool counted; /* of recorded vectors, which have no repetitions */

	uint64_t restored;        /* marks of control words before this instruction do not count */
	ARRAY(struct mark) marks; /* ascending, of the execution to come */
	uint32_t next_mark;

	bool learning; /* shares and reps go to the bbv's as well, */
	bool varies;   /* but the same execution may count otherwise another time */
};

/* The source of the extras of reps: the values of a block, or a queue; or both NULL. */
struct extras {
	const uint64_t *values;
	const uint64_t **queue;
};

/* ---- bbv.c ---- */

/* Counts n to an id without making the interval longer. */
void bbv_add(struct bbv_thread *t, uint32_t id, uint64_t n);

/* Ends the interval. */
void bbv_end_interval(struct bbv_thread *t);

/* ---- count.c ---- */

/* Returns the place of an instruction of a basic block. */
struct bbv_start bbv_start_at(const struct tf_block *block, unsigned insn);

/* Counts one execution of the first instructions of a basic block. */
void bbv_count_block(struct bbv_thread *t, const struct tf_block *block, unsigned executed,
		     bool taken, struct extras extras, uint64_t ordinal);

/* Returns true if the thread is between blocks, with nothing pending. */
static inline bool bbv_is_fresh(const struct bbv_thread *t)
{
	return !t->current && !t->rep && !t->marks.count && !t->rest;
}

#endif
