/* SPDX-License-Identifier: MIT */
/* Counts executions of single instructions in recorded basic block vectors, over all threads. */
#ifndef INSN_COUNTS_H
#define INSN_COUNTS_H

#include "traceformat/tracesamples.h"

/* An instruction: the same in all blocks that contain it. */
struct insn_key {
	uint64_t module; /* index; TF_NONE: it is in no file */
	uint64_t at;     /* ELF virtual address of the module; or the address */
};

struct insn_counts;

/* Returns counts of no instruction. Ends the process if memory is out. */
struct insn_counts *insn_counts_new(const struct tf_reader *reader);
void insn_counts_free(struct insn_counts *counts);

/* Returns the instruction of a block. */
struct insn_key insn_key_of(const struct tf_block *block, unsigned insn);

/*
 * Returns the number by which the count of an instruction is found. All are added before the first
 * vector.
 */
uint32_t insn_counts_add(struct insn_counts *counts, struct insn_key key);

/* Adds the executions of a vector. */
void insn_counts_take(struct insn_counts *counts, const struct tf_vector *vector);

/*
 * Adds the executions of all vectors of a trace. jobs: threads that may decode, not 0. Returns a
 * status, and sets *error.
 */
int insn_counts_take_all(struct insn_counts *counts, struct tf_reader *reader, unsigned jobs,
			 struct tf_error *error);

/* Returns the executions so far. */
uint64_t insn_counts_of(const struct insn_counts *counts, uint32_t number);

#endif
