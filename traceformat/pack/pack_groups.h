/* SPDX-License-Identifier: MIT */
/* Groups of slots that mean the same: those whose first use is the same operand of
 * the same code. */
#ifndef PACK_GROUPS_H
#define PACK_GROUPS_H

#include "traceformat/pack/pack_slots.h"
#include "traceformat/pack/pack_walk.h"

/*
 * Finds the groups of all paths that the chunk executes. Returns 0, TF_E_MEMORY, or TF_E_DAMAGED.
 */
int slot_model_groups(const struct tf_reader *reader, const struct chunk *chunk,
		      struct slot_model *model);

#endif
