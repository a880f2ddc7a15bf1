/* SPDX-License-Identifier: MIT */
/*
 * The modeled coding of control flow (FORMAT.md 5.7). The candidates for the next exit are two
 * guesses from the exits before it, and the known successors of the last one. One bit for each
 * candidate says whether it is right.
 */
#ifndef PACK_FLOW_H
#define PACK_FLOW_H

#include "traceformat/common/error.h"
#include "traceformat/pack/coder.h"

/*
 * Appends the packed form of `count` exits, which are those of the columns runs and misses, all
 * below n_exits. Returns 0, TF_E_MEMORY, or TF_E_DAMAGED.
 */
int flow_pack(struct span runs, struct span residuals, uint64_t count, uint32_t n_exits,
	      struct buffer *packed);

/*
 * Appends the unpacked columns to runs and misses (FORMAT.md 5.2). Returns 0, TF_E_MEMORY, or
 * TF_E_DAMAGED.
 */
int flow_unpack(struct span packed, uint64_t count, uint32_t n_exits, struct buffer *runs,
		struct buffer *residuals);

#endif
