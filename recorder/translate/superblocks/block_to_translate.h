/* SPDX-License-Identifier: MIT */
/* Which blocks of a program can be translated. */
#ifndef BLOCK_TO_TRANSLATE_H
#define BLOCK_TO_TRANSLATE_H

#include "recorder/translate/thread/thread.h"

/*
 * Finds the block at pc of a task's program; *block NULL: what is there cannot be
 * translated. Blocks of stable code are found again without a look at it. Returns 0 or -1.
 */
int block_to_translate(struct task *task, uint64_t pc, struct code_block **block);

#endif
