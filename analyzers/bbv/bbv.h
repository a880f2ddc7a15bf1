/* SPDX-License-Identifier: MIT */
/*
 * Basic block vectors: what blocks are, how they are numbered, and how instructions are counted to
 * them and cut into intervals. There are three sets of rules, see rules.h.
 *
 * By the rules of Valgrind's exp-bbv a block is a superblock of Valgrind. It begins where control
 * arrives and goes on in memory up to and including the first of
 *  - a control transfer, syscall or trap, `pause` or `clflush`, or a rep string instruction other
 *    than lods; but loop and jrcxz that are not taken do not end it,
 *  - 60 instructions; or 31, or as many as it then has, if a fused multiply-add is among them,
 *  - an instruction that loads a control word for which Valgrind stops to emit a warning;
 * and ends early where control goes elsewhere than on in memory. Its identity is the address of
 * its first instruction; ids count from 1 in order of first execution, over all threads.
 *
 * An instruction counts 1 to its block. A rep string instruction counts 1 to the block of the
 * next other instruction of the thread; if the next is a rep at another address, it counts to the
 * total but to no block. An interval ends with the instruction that makes its length greater than
 * its size, and what it is longer by belongs to the next as well: hence the first has size + 1
 * instructions, and others size.
 *
 * By the other rules an interval has as many instructions as its size says, each counts 1 to the
 * block it is in, and what began but did not retire counts nothing.
 *
 * The last, unfinished interval is not written unless bbv_end is asked to keep it.
 *
 * Cost: executions of the same path exit count the same as long as nothing comes in between, so
 * bbv_paths learns what each exit counts and then adds one a path; the rest, and bbv_execute, goes
 * block by block. Memory: some words a basic block and a path exit.
 */
#ifndef BBV_H
#define BBV_H

#include <stdio.h>

#include "analyzers/bbv/ids.h"
#include "analyzers/bbv/rules.h"
#include "analyzers/common/executed.h"
#include "traceformat/traceformat.h"
#include "traceformat/tracesamples.h"

struct bbv;        /* the blocks of one process */
struct bbv_thread; /* the counts of one of its threads */
struct leaders;    /* see leaders.h */
struct bbv_homes;  /* see homes.h */

struct bbv_setup {
	uint32_t n_code;  /* basic blocks in the trace, tf_n_blocks */
	uint32_t n_exits; /* tf_n_exits; 0: without bbv_paths */
	enum bbv_rules rules;
	bool by_offset; /* places are distinguished by module and offset, not by pc */
	const struct leaders *leaders; /* BBV_CFG: where blocks begin; outlives the bbv */
	const struct bbv_homes *homes; /* BBV_CFG: see homes.h; outlives the bbv */
	const bool
		*excluded; /* by basic block: bbv_vector does not count it to any id; NULL: none */
	double memory_weight; /* what bbv_access counts in an interval is made to sum up to that
				   many times its instructions; 0: left as it is */
};

/* The numbers of the closing summary. */
struct bbv_totals {
	uint64_t instructions;
	uint64_t reps;        /* rep instructions executed */
	uint64_t repetitions; /* of theirs; by exp-bbv's rules as Valgrind iterates: often one
				   more, for the end */
	uint64_t fldcw;
	uint64_t intervals; /* lines written */
	uint64_t longest;   /* bytes of the longest line */
};

/* Ends the process if memory is out, as all functions here do. */
struct bbv *bbv_new(const struct bbv_setup *setup);
void bbv_free(struct bbv *bbv);

/*
 * Gives all executed code ids in the order of its places, so that ids do not depend on what is
 * executed first. By the rules BBV_CFG, before the first count.
 */
void bbv_number(struct bbv *bbv, const struct tf_reader *reader, const struct executed *executed);

/* Returns the number of ids, which are 1 .. that. */
uint32_t bbv_count(const struct bbv *bbv);

/* Returns where a block begins. */
const struct bbv_start *bbv_start(const struct bbv *bbv, uint32_t id);

/* Returns all ids, ascending by place; valid until the next count. */
const uint32_t *bbv_sorted(struct bbv *bbv);

/*
 * Creates a thread's counts. interval: instructions, 1 .. INT64_MAX, or BBV_NO_INTERVAL if bbv_cut
 * ends intervals.
 */
#define BBV_NO_INTERVAL UINT64_MAX
struct bbv_thread *bbv_thread_new(struct bbv *bbv, uint64_t interval);
void bbv_thread_free(struct bbv_thread *thread);

/* Sends interval lines to out from now on; NULL discards them. out stays the caller's. */
void bbv_thread_output(struct bbv_thread *thread, FILE *out);

/* Counts one execution of a basic block whose first instruction has this ordinal. Without values
 * each rep is taken to repeat once. */
void bbv_execute(struct bbv_thread *thread, const struct tf_block_exec *exec, uint64_t ordinal);

/* Counts a batch of paths (TF_ITEM_PATHS) of the thread. Without item->repetitions each rep is
 * taken to repeat once. */
void bbv_paths(struct bbv_thread *thread, const struct tf_reader *reader,
	       const struct tf_item *item);

/* Counts the executions of a vector of the thread, by the rules BBV_CFG. The caller ends the
 * interval. */
void bbv_vector(struct bbv_thread *thread, const struct tf_reader *reader,
		const struct tf_vector *vector);

/* Ends the interval that vectors have filled. */
void bbv_vector_end(struct bbv_thread *thread);

/* Does the same, but gives each id that was counted, with its instructions, in the order of first
 * count instead of writing a line. */
void bbv_vector_take(struct bbv_thread *thread,
		     void (*use)(void *opaque, uint32_t id, uint64_t instructions), void *opaque);

/* Gives the ids that the executions of a vector count to by the rules BBV_CFG, in the order of its
 * counts, and counts nothing. An id comes as often as several exits, or parts of a path, count to
 * it. */
void bbv_vector_parts(struct bbv *bbv, const struct tf_reader *reader,
		      const struct tf_vector *vector,
		      void (*use)(void *opaque, uint32_t id, uint64_t instructions), void *opaque);

/*
 * States that an instruction at pc began but faulted. By exp-bbv's rules it counts. Whether it is
 * a rep is known if it did some repetitions, or if the basic block that it is in was executed up
 * to it; else it is taken not to be one.
 */
void bbv_fault(struct bbv_thread *thread, uint64_t pc);

/* States that the instruction before `ordinal` loaded a control word; which: enum
 * tf_control_word. Call it before the execution that contains it. */
void bbv_control_word(struct bbv_thread *thread, uint64_t ordinal, uint32_t which, uint32_t value);

/* Ends an interval before instruction `ordinal`, if it has any instructions. Call it before the
 * execution that contains it. */
void bbv_cut(struct bbv_thread *thread, uint64_t ordinal);

/* Counts n accesses to a part of memory; it gets an id of its own. */
void bbv_access(struct bbv_thread *thread, uint64_t part, uint64_t n);

/* Writes the intervals that a piece has kept, see set.h. Later ones are written at once. */
void bbv_write_kept(struct bbv_thread *thread);

/*
 * Ends a thread: writes the last interval if keep_last is set, and frees the memory for counting.
 * Only totals and summary may follow.
 */
void bbv_end(struct bbv_thread *thread, bool keep_last);

struct bbv_totals bbv_totals(const struct bbv_thread *thread);

/* Writes the closing summary; each line begins with prefix. number: of the thread, from 1. */
void bbv_summary(const struct bbv_thread *thread, unsigned number, const char *prefix, FILE *out);

#endif
