/* SPDX-License-Identifier: MIT */
/* Translates superblocks that an earlier recording of the program has executed, see
 * saved_programs.h. */
#ifndef SAVED_SUPERBLOCKS_H
#define SAVED_SUPERBLOCKS_H

#include "recorder/translate/thread/thread.h"

/*
 * Translates the superblock at pc if an earlier recording has executed one there, and those that it
 * executed next for the first time. The cache has no recording translation at pc. The task may
 * stand or run anywhere. Returns 0, also if there is none, or -1.
 */
int saved_superblocks_load(struct task *task, uint64_t pc);

#endif
