/* SPDX-License-Identifier: MIT */
/*
 * One execution of a block, instruction by instruction: how far it is, the addresses and counts so
 * far, and in the end its record. Each block is a superblock of its own, see dictionary.h. Functions
 * return 0 or -1 with session->error, unless stated otherwise.
 */
#ifndef BLOCK_RUN_H
#define BLOCK_RUN_H

#include "recorder/core/session.h"
#include "recorder/program/block_at.h"

struct block_run {
	struct code_block *block; /* being executed, NULL between blocks */
	unsigned index;           /* of its next instruction */
	bool repeating;           /* that has begun: it is a rep instruction */
	bool gathering;           /* it is a gather or scatter that has done some lanes */
	uint64_t count;           /* what a rep's counter was before it */
	uint64_t values[CODE_BLOCK_VALUES + 1]; /* and room for rsp: dictionary_slots */
};

/* Begins the block at the task's pc; without one run->block is NULL, and *unknown what stands
 * there. The recording may end there. */
int block_run_begin(struct task *task, struct block_run *run, struct undecoded *unknown);

/* Begins the block that is nothing but the system call instruction before the task's pc; run->block
 * is NULL if it is not there any more. */
int block_run_begin_syscall(struct task *task, struct block_run *run);

/* Begins the block of an instruction of so many bytes that no decoder knows. */
int block_run_begin_opaque(struct task *task, struct block_run *run, uint64_t pc,
			   const struct undecoded *unknown, unsigned length);

/* Of the next instruction. */
const struct isa_insn *block_run_fact(const struct block_run *run);
const uint8_t *block_run_code(const struct block_run *run);

/* True if the instruction has been overwritten since the block began. */
bool block_run_changed(const struct task *task, const struct block_run *run);

/* The task stands before the instruction: notes what can only be told from there. */
void block_run_prepare(struct task *task, struct block_run *run);

/* The instruction has been stepped: true if repetitions or lanes of it are left. */
bool block_run_goes_on(const struct task *task, struct block_run *run);

/* The instruction has executed. If it was the last one, or has not led to the next, the block is
 * left: run->block is NULL then. */
int block_run_advance(struct task *task, struct block_run *run);

/* The block, if there is one, is left before the instruction, or amid its repetitions. */
int block_run_leave(struct task *task, struct block_run *run);

#endif
