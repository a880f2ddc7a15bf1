/* SPDX-License-Identifier: MIT */
/*
 * How many instructions a thread may still execute where they are only counted (count.c): a part of
 * the session's budget, which it takes with it into the cache. What it has not used when it leaves
 * is restored.
 */
#ifndef QUOTA_H
#define QUOTA_H

#include "recorder/translate/thread/thread.h"

/* The synchronized task enters the cache at a superblock, whose pending count it does not have. At a brief one it
 * gets none that is not used up behind it. */
void quota_take(struct task *task, const struct translation *superblock);

/* It enters the cache to be recorded: if it is sampled in a burst, others leave it as much as it may
 * execute. */
void quota_reserve(struct task *task);

/* It has left; uncounted: as reconstruct_state tells. Does nothing if it has no quota. */
void quota_leave(struct task *task, int uncounted);

/* The task has executed instructions that are not recorded. */
void quota_execute(struct task *task, uint64_t instructions);

/* True if it has used it up. */
bool quota_is_used_up(const struct thread *thread);

/* True if its part is used up in a moment. */
bool quota_is_bounded(const struct thread *thread);

/* True if so few instructions are left that only bounded superblocks can be executed. */
bool quota_is_useless(const struct session *session);

/* One more instruction, a system call, is about to execute; or it has not. */
void quota_add_syscall(struct task *task);
void quota_undo_syscall(struct task *task);

#endif
