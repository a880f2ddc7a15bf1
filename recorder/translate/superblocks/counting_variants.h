/* SPDX-License-Identifier: MIT */
/*
 * Makes the counting variants of extended superblocks. A variant has the blocks of a superblock
 * that records, as far as they have indirect jumps, and is extended where these jumps lead
 * elsewhere.
 */
#ifndef COUNTING_VARIANTS_H
#define COUNTING_VARIANTS_H

#include "recorder/translate/thread/thread.h"

/*
 * Adds the counting variant of a superblock, replacing the previous one at its pc. The task is
 * stopped at `stopped`, and all others are out of the cache. Returns 0, also if there is no room,
 * or -1.
 */
int counting_variants_add(struct task *task, struct translation *superblock, uint64_t stopped);

/* Adds the counting variant of an extension of the superblock at the exit, if that is an indirect
 * jump. */
int counting_variants_extend(struct task *task, struct translation *superblock, unsigned exit,
			     struct translation *extension, uint64_t stopped);

/*
 * Sets flags_dead at the exits of a counting variant's plan, and clears the blocks that may not be
 * entered in it. Flags are dead where the program replaces them before it reads them: the variant
 * need not keep them.
 */
void counting_variants_find_dead_flags(struct task *task, struct plan *plan);

/* Chooses the counter for the plan's instructions: excluded code has one of its own. */
void counting_variants_choose_counter(const struct session *session, struct plan *plan);

#endif
