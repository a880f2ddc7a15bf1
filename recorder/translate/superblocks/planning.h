/* SPDX-License-Identifier: MIT */
/* Helpers for plans of superblocks, whichever way their blocks are chosen. */
#ifndef PLANNING_H
#define PLANNING_H

#include "recorder/core/session.h"
#include "recorder/translate/plan/plan.h"

/* Begins the plan of a superblock that records; function: its calls are recorded, or TF_NONE. */
void plan_begin_recording(struct plan *plan, const struct session *session, uint64_t pc,
			  uint32_t function);

/*
 * Returns true unless the block would mix excluded code with other code, which have budgets of
 * their own.
 */
bool plan_is_alike(const struct session *session, const struct plan *plan,
		   const struct code_block *block);

/* Returns the number of the block that has an instruction. */
unsigned plan_block_of(const struct plan *plan, unsigned insn);

#endif
