/* SPDX-License-Identifier: MIT */
/*
 * Basic block vectors by the rules of Valgrind's exp-bbv: what its blocks are, how they are
 * numbered, and how instructions are counted to them and cut into intervals.
 *
 * A block here is a superblock of Valgrind. It begins where control arrives and goes on in memory
 * up to and including the first of
 *  - a control transfer, syscall or trap, `pause` or `clflush`, or a rep string instruction other
 *    than lods; but loop and jrcxz that are not taken do not end it,
 *  - 60 instructions,
 *  - an instruction that loads a control word for which Valgrind stops to emit a warning;
 * and ends early where control goes elsewhere than on in memory. Its identity is the address of
 * its first instruction; ids count from 1 in order of first execution, over all threads.
 *
 * An instruction counts 1 to its block. A rep string instruction counts 1 to the block of the
 * next other instruction of the thread; if the next is a rep at another address, it counts to the
 * total but to no block. An interval ends with the instruction that makes its length greater than
 * its size, and what it is longer by belongs to the next as well: hence the first has size + 1
 * instructions, and others size. The last, unfinished one is not written.
 */
#ifndef BBV_H
#define BBV_H

#include <stdio.h>

#include "traceformat/traceformat.h"

enum { BBV_MAX_INSNS = 60 };

/* Where a block begins. */
struct bbv_start {
	uint64_t pc;
	uint64_t module_offset;
	uint32_t module;	/* index, or TF_NONE: not known */
};

struct bbv;		/* the blocks of one process */
struct bbv_thread;	/* the counts of one of its threads */

/* What the closing summary says. */
struct bbv_totals {
	uint64_t instructions;
	uint64_t reps;		/* rep instructions executed */
	uint64_t repetitions;	/* of theirs, as Valgrind iterates: often one more, for the end */
	uint64_t fldcw;
	uint64_t intervals;	/* lines written */
};

/* n_code: number of basic blocks in the trace. Ends the process if memory is out, as all here. */
struct bbv *bbv_new(uint32_t n_code);
void bbv_free(struct bbv *bbv);

/* Returns the number of blocks: ids are 1 .. that. */
uint32_t bbv_count(const struct bbv *bbv);

/* Returns where a block begins. */
const struct bbv_start *bbv_start(const struct bbv *bbv, uint32_t id);

/* Returns all ids, ascending by address. Free it. */
uint32_t *bbv_sorted(const struct bbv *bbv);

/* interval: instructions, 1 .. INT64_MAX. */
struct bbv_thread *bbv_thread_new(struct bbv *bbv, uint64_t interval);
void bbv_thread_free(struct bbv_thread *thread);

/* Interval lines go to out from now on; NULL: nowhere. It stays the caller's. */
void bbv_thread_output(struct bbv_thread *thread, FILE *out);

/* Counts one execution of a basic block whose first instruction has this ordinal. Without values
 * each rep is taken to repeat once. */
void bbv_execute(struct bbv_thread *thread, const struct tf_block_exec *exec, uint64_t ordinal);

/*
 * Counts an instruction at pc that began but faulted. Whether it is a rep is known if it did some
 * repetitions, or if the basic block that it is in was executed up to it; else it is taken not to
 * be one.
 */
void bbv_fault(struct bbv_thread *thread, uint64_t pc);

/* States that the instruction before `ordinal` loaded a control word; which: enum
 * tf_control_word. Call it before the execution that contains it. */
void bbv_control_word(struct bbv_thread *thread, uint64_t ordinal, uint32_t which,
		      uint32_t value);

struct bbv_totals bbv_totals(const struct bbv_thread *thread);

/* Writes the closing summary; each line begins with prefix. number: of the thread, from 1. */
void bbv_summary(const struct bbv_thread *thread, unsigned number, const char *prefix, FILE *out);

#endif
