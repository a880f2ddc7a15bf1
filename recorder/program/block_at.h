/* SPDX-License-Identifier: MIT */
/* The basic block that stands at an address of a process. */
#ifndef BLOCK_AT_H
#define BLOCK_AT_H

#include "recorder/core/session.h"
#include "recorder/program/code_block.h"

/* What stands where nothing decodes. */
struct undecoded {
	uint8_t bytes[TF_MAX_INSN_BYTES];
	size_t count; /* 0: it cannot even be read */
};

/* What is known of an address before its bytes are read. */
struct code_source block_source(const struct task *task, uint64_t pc);

/*
 * Finds the block that begins at pc in the dictionary, by its bytes as they are now, or adds it.
 * Returns 0 or -1; *block NULL: nothing that decodes is there, see *undecoded (may be NULL).
 */
int block_at(struct task *task, uint64_t pc, struct code_block **block,
	     struct undecoded *undecoded);

/* The same by bytes that need not be read again where they are stable (code_pages.h). */
int block_at_kept(struct task *task, uint64_t pc, struct code_block **block);

#endif
