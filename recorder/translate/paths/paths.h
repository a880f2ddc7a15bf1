/* SPDX-License-Identifier: MIT */
/* From an address of a program to the translation of a path that begins there. */
#ifndef PATHS_H
#define PATHS_H

#include "recorder/translate/thread/profile.h"
#include "recorder/translate/thread/thread.h"

/*
 * Finds the translation at pc in the task's cache or makes one; *path NULL: what is there is to be
 * stepped, or it needs memory that only a stopped task can get. The task may stand or run anywhere.
 * Returns 0 or -1.
 */
int path_at(struct task *task, uint64_t pc, struct translation **path);

/* The same where a path is left by an exit. A loop is not led into the middle of another path. */
int path_behind(struct task *task, const struct translation *from, unsigned exit,
		struct translation **path);

/* The same for a path to which an indirect jump leads. */
int path_jumped_to(struct task *task, uint64_t pc, struct translation **path);

/* Likewise a brief path: it has less than n_insns instructions, which are only counted, and behind
 * them the task leaves the cache. */
int path_within(struct task *task, uint64_t pc, uint64_t n_insns, struct translation **path);

/*
 * Joins the blocks of a chain as far as possible and lets that take its head's place. The task is
 * stopped at `stopped`. Returns 0 or -1.
 */
int path_join(struct task *task, const struct chain *chain, uint64_t stopped);

#endif
