/* SPDX-License-Identifier: MIT */
/*
 * Limits how many instructions a thread may execute where they are only counted (count.c). The
 * quota is a part of the session's budget that the thread takes along into the cache. The unused
 * rest goes back to the budget when the thread leaves.
 */
#ifndef QUOTA_H
#define QUOTA_H

#include "recorder/translate/thread/thread.h"

/* Takes a quota for the synchronized task, which enters the cache at a superblock without that
 * superblock's pending count. For a bounded superblock, the quota is used up at the superblock's
 * end. */
void quota_take(struct task *task, const struct translation *superblock);

/* Prepares to enter the cache with recording. If the task is sampled in a burst, as many
 * instructions as it may execute are reserved in the session's budget. */
void quota_reserve(struct task *task);

/* Returns the unused quota after the task has left; `uncounted` is that of reconstruct_state(), in
 * excluded code or other code. Does nothing if the task has no quota. */
void quota_leave(struct task *task, int uncounted, bool excluded);

/* Counts instructions that the task has executed without a record, in excluded code or other
 * code. */
void quota_execute(struct task *task, uint64_t instructions, bool excluded);

/* Returns true if the thread has used up its quota. */
bool quota_is_used_up(const struct thread *thread);

/* Returns true if the quota will be used up within a fraction of a millisecond. */
bool quota_is_bounded(const struct thread *thread);

/* Returns true if so few instructions are left that only bounded superblocks can be executed. */
bool quota_is_useless(const struct session *session);

/* Count one more instruction, a system call at the end of a superblock that is about to execute, or
 * take it back. */
void quota_add_syscall(struct task *task, bool excluded);
void quota_undo_syscall(struct task *task, bool excluded);

#endif
