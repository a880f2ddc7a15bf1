/* SPDX-License-Identifier: MIT */
/* Paths: blocks in a row, their exits, and how data addresses follow from what was recorded. */
#ifndef TRACEFORMAT_API_PATHS_H
#define TRACEFORMAT_API_PATHS_H

#include <stdint.h>

#include "traceformat/api/blocks.h"

enum tf_base {
	TF_BASE_CONSTANT = 0, /* displacement alone */
	TF_BASE_SLOT = 1,     /* slots[slot] */
	TF_BASE_RSP = 2,      /* rsp at the path's entry */
	TF_BASE_UNKNOWN = 3,  /* not recorded; reads as 0 */
};

/*
 * How one value of a path execution follows from its slots:
 *
 *	v = base + (scale ? slots[index_slot] * scale : 0) + displacement
 *	    + (bit_string ? ((int64) slots[index_slot] >> log2(bit_string)) * bit_string / 8 : 0)
 *	if address32: v = v mod 2^32
 *	v = v + base of the segment
 *
 * bit_string (bt, bts, btr, btc with a register): the operand width in bits, 16, 32 or 64; the
 * slot holds the bit offset sign-extended to 64 bits; scale is then 0.
 */
struct tf_recipe {
	uint8_t base;       /* enum tf_base */
	uint8_t scale;      /* 0 (no index), 1, 2, 4, 8 */
	uint8_t bit_string; /* 0, 16, 32, 64 */
	uint8_t address32;  /* 0 or 1 */
	uint8_t segment;    /* enum tf_segment */
	uint16_t slot;
	uint16_t index_slot;
	int64_t displacement;
};

enum tf_outcome {
	TF_NOT_TAKEN = 0, /* went on at the next instruction in memory */
	TF_TAKEN = 1,     /* jumped: target if it is known, else see the next block */
	TF_PARTIAL = 2,   /* left inside, after .executed instructions */
};

enum tf_rsp_rule {
	TF_RSP_UNTRACKED = 0, /* not known; no path may use TF_BASE_RSP before the next chunk */
	TF_RSP_DELTA = 1,     /* rsp += rsp_value */
	TF_RSP_SLOT = 2,      /* rsp = slots[rsp_slot] + rsp_value */
};

/* A way out of a path, after the last instruction of its block n_blocks - 1. */
struct tf_exit {
	uint16_t n_blocks; /* blocks executed, 1 .. path's n_blocks */
	uint8_t outcome;   /* of the last block executed: TF_NOT_TAKEN or TF_TAKEN */
	uint8_t rsp_rule;  /* enum tf_rsp_rule */
	uint16_t n_slots;  /* slots in the record, a prefix of the path's */
	uint16_t rsp_slot;
	int64_t rsp_value;
};

/*
 * A path (superblock): basic blocks recorded as one unit. Exit ids are dense over the trace:
 * first_exit + k is the path's exit k; first_exit + n_exits is its partial exit, used when
 * control leaves between any two instructions (a signal, a region's end). Values are those of
 * its blocks, one after the other.
 */
struct tf_path {
	uint32_t id;
	uint32_t first_exit;
	uint16_t n_blocks;
	uint16_t n_exits; /* without the partial exit */
	uint16_t n_slots;
	uint16_t n_values;
	uint32_t n_insns;
	const uint32_t *blocks;          /* n_blocks block ids */
	const struct tf_recipe *recipes; /* n_values, or NULL: value i is slot i */
	const struct tf_exit *exits;     /* n_exits */
};

#endif
