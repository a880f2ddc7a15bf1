/* SPDX-License-Identifier: MIT */
/* Limits that every trace keeps, and the index of nothing. */
#ifndef TRACEFORMAT_API_LIMITS_H
#define TRACEFORMAT_API_LIMITS_H

#include <stdint.h>

#define TF_NONE UINT32_MAX /* no such index */

enum tf_limits {
	TF_MAX_BLOCK_INSNS = 256,
	TF_MAX_BLOCK_OPERANDS = 1024,
	TF_MAX_PATH_BLOCKS = 256,
	TF_MAX_PATH_VALUES = 16384,
	TF_MAX_PATH_SLOTS = 4096,
	TF_MAX_PATH_EXITS = 1024,
	TF_MAX_INSN_BYTES = 15,
	TF_MAX_LANES = 64,
	TF_MAX_OPERAND_BYTES = 65536, /* of an operand, or of a lane or repetition of it */
	TF_MAX_CALL_ARGS = 6,
};

/* The mode of a trace's file: it holds a command line and paths, and is its owner's alone. */
#define TF_FILE_MODE 0600

#endif
