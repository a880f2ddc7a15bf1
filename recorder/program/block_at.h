/* SPDX-License-Identifier: MIT */
/* Finds the basic block at an address of a process. */
#ifndef BLOCK_AT_H
#define BLOCK_AT_H

#include "recorder/core/session.h"
#include "recorder/program/code_block.h"

/* The bytes at an address where no instruction decodes. */
struct undecoded {
	uint8_t bytes[TF_MAX_INSN_BYTES];
	size_t count; /* 0: the memory is unreadable */
};

/* Returns the description of an address before its bytes are read. */
struct code_source block_source(const struct task *task, uint64_t pc);

/*
 * Finds the block that begins at pc in the dictionary, by its present bytes, or adds it. Returns 0
 * or -1. *block is NULL if no instruction decodes there; then *undecoded (may be NULL) has the
 * bytes.
 */
int block_at(struct task *task, uint64_t pc, struct code_block **block,
	     struct undecoded *undecoded);

/*
 * Finds or adds a block like block_at(), without reading again the bytes of stable code
 * (code_pages.h).
 */
int block_at_kept(struct task *task, uint64_t pc, struct code_block **block);

#endif
