/* SPDX-License-Identifier: MIT */
/*
 * Declarations shared by bbv.c (intervals and lines), count.c (blocks), paths.c (path exits), and
 * the files about pieces.
 */
#ifndef BBV_INTERNAL_H
#define BBV_INTERNAL_H

#include "analyzers/bbv/bbv.h"
#include "analyzers/bbv/lengths.h"
#include "traceformat/common/bytes.h"

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

enum head_kind { HEAD_BLOCK, HEAD_FAULT, HEAD_CONTROL_WORD, HEAD_CUT, HEAD_ACCESSES };

/* Something that happened in the head of a thread; see set.h. */
struct head_item {
	uint32_t thread; /* its number */
	uint32_t n_ids;  /* of the process, before it */
	enum head_kind kind;
	uint64_t ordinal; /* HEAD_FAULT: a pc, HEAD_ACCESSES: a part of memory */
	uint64_t value;   /* HEAD_CONTROL_WORD: value and, from bit 32 on, which;
			     HEAD_ACCESSES: how many; HEAD_BLOCK: the block */
	uint32_t executed;
	bool taken;
	bool has_extras;
	size_t first_extra, n_extras; /* in the process's extras: as a batch's repetitions */
};

struct bbv {
	struct bbv_setup setup;
	struct bbv_ids ids;
	struct code *code;      /* by basic block of the trace */
	struct effect *effects; /* by exit */
	ARRAY(struct share) shares;
	ARRAY(uint8_t) reps; /* of the effects: conditions, see struct bbv_special */
	size_t first_new;    /* share of the effect that is being learnt */

	/* The heads of its threads, in the order of time. */
	ARRAY(struct head_item) head;
	ARRAY(uint64_t) extras;
};

/* An event before an instruction of the next execution. */
struct mark {
	uint64_t ordinal;
	bool cut; /* an interval ends; else a block does */
};

/* An interval whose line is written later. */
struct kept_interval {
	uint64_t accesses;
	size_t first; /* byte of its counts, which end where those of the next begin */
	size_t n;     /* counts: an id and a number each, as varints */
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

	/* The state of a piece; see set.h. */
	bool is_piece, counts_only;
	bool in_head;
	uint32_t number;
	const struct bbv_lengths *lengths;
	uint64_t head_mark; /* the last mark in the head is before this instruction */
	uint64_t assumed;   /* length of the interval under way behind the head */
	ARRAY(struct kept_interval) kept;
	struct buffer kept_counts;
	ARRAY(struct bbv_length) ends; /* of heads, and the instructions from the first end on */
};

/* The source of the extras of reps: the values of a block, or a queue; or both NULL. */
struct extras {
	const uint64_t *values;
	const uint64_t **queue;
};

/* ---- bbv.c ---- */

/* Counts n to an id without making the interval longer. */
void bbv_add(struct bbv_thread *t, uint32_t id, uint64_t n);

/* Adds the counts of exits to those of the blocks that they execute. */
void bbv_expand_exits(struct bbv_thread *t);

/* Ends the interval. */
void bbv_end_interval(struct bbv_thread *t);

/* ---- count.c ---- */

/* Returns the extras of a rep instruction, or NULL. */
const uint64_t *bbv_extras_of(const struct tf_block *block, const struct tf_insn *insn,
			      struct extras extras);

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

/* ---- head.c ---- */

/*
 * Makes a new thread that of a piece. number: of the thread in its trace. counts_only: intervals
 * are only counted. lengths outlive the thread.
 */
void bbv_piece_begin(struct bbv_thread *t, uint32_t number, bool counts_only,
		     const struct bbv_lengths *lengths);

/*
 * Store what happens in the head; the arguments are those of the functions that count.
 * bbv_head_paths returns how many executions of the batch are in the head, and moves *ordinal and
 * *extras behind them.
 */
void bbv_head_block(struct bbv_thread *t, const struct tf_block_exec *exec, uint64_t ordinal);
size_t bbv_head_paths(struct bbv_thread *t, const struct tf_reader *reader,
		      const struct tf_item *item, const uint64_t **extras, uint64_t *ordinal);
void bbv_head_event(struct bbv_thread *t, enum head_kind kind, uint64_t ordinal, uint64_t value);

/* Adds an item of another piece's head to that of a thread that is in its head. */
void bbv_head_copy(struct bbv_thread *t, const struct bbv *from, const struct head_item *item);

/* Counts an item of another piece's head, for a thread that is not in its head. */
void bbv_head_count(struct bbv_thread *t, const struct tf_reader *reader, const struct bbv *from,
		    const struct head_item *item);

/* Returns how many extras an execution of the first instructions of a block has. */
size_t bbv_head_extras(const struct bbv *bbv, const struct tf_block *block, unsigned executed);

/* ---- pieces.c ---- */

/* Returns the counts of a stored interval. */
struct span bbv_kept_counts(const struct bbv_thread *t, size_t interval);

/* Begins a stored interval, and adds counts to it. */
void bbv_begin_kept(struct bbv_thread *t, uint64_t accesses);
void bbv_keep_count(struct bbv_thread *t, uint32_t id, uint64_t n);

/* Stores the interval that has ended, unless intervals are only counted. */
void bbv_keep_interval(struct bbv_thread *t);

/* Returns the length of an interval under way, behind so many instructions of the thread. */
uint64_t bbv_length_behind(const struct bbv_thread *t, uint64_t instructions);

/*
 * Adds the counts behind the head of a later piece, all of whose head has been added. ids: by the
 * piece's id. Returns false if the piece does not fit.
 */
bool bbv_join(struct bbv_thread *t, const struct bbv_thread *later, const uint32_t *ids);

/* Adds counts, or returns false if a sum is too large. */
bool bbv_add_some(struct bbv_thread *t, uint32_t id, uint64_t n);

#endif
