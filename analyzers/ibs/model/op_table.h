/* SPDX-License-Identifier: MIT */
/*
 * Instructions that are several ops on AMD's processors, and slower than others of their class. The
 * numbers are estimates for Zen 4, none of them measured: to check them, see AMD, Software
 * Optimization Guide for the AMD Zen4 Microarchitecture (57647), and A. Fog, Instruction Tables. An
 * instruction that is not in the table is one op, also an operation with a memory operand, which
 * AMD does not divide before execution. Instructions of more than two ops come from microcode.
 */
#ifndef IBS_OP_TABLE_H
#define IBS_OP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum { IBS_MAX_OPS = 64, IBS_MOST_DIRECT_OPS = 2 };

struct ibs_op_count {
	const char *iclass;        /* XED's */
	uint8_t registers, memory; /* ops without, and with a memory operand */
	uint16_t latency;          /* cycles, memory aside; 0: that of its class */
};

/* Returns an instruction's entry, or NULL if the instruction is one op. */
const struct ibs_op_count *ibs_find_op_count(const char *iclass);

#endif
