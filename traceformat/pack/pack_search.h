/* SPDX-License-Identifier: MIT */
/* The packer's choice of groups and predictors for a chunk (FORMAT.md 5.8 says what they mean). */
#ifndef PACK_SEARCH_H
#define PACK_SEARCH_H

#include "traceformat/pack/pack_slots.h"
#include "traceformat/pack/pack_walk.h"

/*
 * Makes a model for the chunk. Returns 0, TF_E_MEMORY, TF_E_DAMAGED (the chunk does
 * not decode), or TF_E_ARGUMENT (its slots need more than MAX_SLOT_GROUPS groups).
 */
int slot_model_search(const struct tf_reader *reader, const struct chunk *chunk,
		      struct slot_model *model);

#endif
