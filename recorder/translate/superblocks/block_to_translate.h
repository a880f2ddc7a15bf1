/* SPDX-License-Identifier: MIT */
/* Finds blocks of a program that can be translated. */
#ifndef BLOCK_TO_TRANSLATE_H
#define BLOCK_TO_TRANSLATE_H

#include "recorder/translate/thread/thread.h"

/*
 * Finds the block at pc of a task's program. Sets *block to NULL if the code there cannot be
 * translated. Known blocks of stable code are found without reading the code. Returns 0 or -1.
 */
int block_to_translate(struct task *task, uint64_t pc, struct code_block **block);

/*
 * The first returns true if block_to_translate() would look for a block that is not known. The
 * second returns what it would then return, if block_at_kept() has found that block, or NULL.
 */
bool block_is_to_be_found(const struct task *task, uint64_t pc);
struct code_block *block_to_translate_found(struct task *task, uint64_t pc,
					    struct code_block *found);

#endif
