/* SPDX-License-Identifier: MIT */
/*
 * Executes a block instruction by instruction: keeps the position, the addresses and counts so far,
 * and writes the record at the end. Each block is a superblock of its own; see dictionary.h.
 * Functions return 0 or -1 with session->error, unless stated otherwise.
 */
#ifndef BLOCK_RUN_H
#define BLOCK_RUN_H

#include "recorder/core/session.h"
#include "recorder/program/block_at.h"

struct block_run {
	struct code_block *block; /* block being executed; NULL between blocks */
	unsigned index;           /* index of its next instruction */
	bool repeating;           /* the instruction is a rep instruction that has begun */
	bool gathering; /* the instruction is a gather or scatter that has done some lanes */
	uint64_t count; /* a rep instruction's counter before it */
	uint64_t values[CODE_BLOCK_VALUES + 1]; /* with room for rsp: dictionary_slots() */
};

/* Begins the block at the task's pc. If there is none, sets run->block to NULL and *unknown to the
 * bytes that are there. The recording may end there. */
int block_run_begin(struct task *task, struct block_run *run, struct undecoded *unknown);

/* Begins a block that has only the system call instruction before the task's pc. Sets run->block to
 * NULL if that instruction is no longer there. */
int block_run_begin_syscall(struct task *task, struct block_run *run);

/* Begins the block of an instruction of `length` bytes that no decoder knows. */
int block_run_begin_opaque(struct task *task, struct block_run *run, uint64_t pc,
			   const struct undecoded *unknown, unsigned length);

/* Return the facts and the bytes of the next instruction. */
const struct isa_insn *block_run_fact(const struct block_run *run);
const uint8_t *block_run_code(const struct block_run *run);

/* Returns true if the instruction has been overwritten since the block began. */
bool block_run_changed(const struct task *task, const struct block_run *run);

/*
 * Records the values that must be read before the instruction executes. The task stands before it.
 */
void block_run_prepare(struct task *task, struct block_run *run);

/* Returns true if a stepped instruction has repetitions or lanes left. */
bool block_run_goes_on(const struct task *task, struct block_run *run);

/* Moves past an executed instruction. Leaves the block, and sets run->block to NULL, if the
 * instruction was the last one or has not led to the next. */
int block_run_advance(struct task *task, struct block_run *run);

/* Leaves the block, if there is one, before the instruction or between its repetitions. */
int block_run_leave(struct task *task, struct block_run *run);

#endif
