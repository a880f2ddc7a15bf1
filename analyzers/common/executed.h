/* SPDX-License-Identifier: MIT */
/*
 * The code that a trace executes. The dictionary has more: paths have blocks that no execution
 * reached, because the recorder predicted them, and blocks begin where an execution went on after
 * an interruption. The executed code, unlike the dictionary, does not depend on how the recorder
 * formed paths.
 */
#ifndef EXECUTED_H
#define EXECUTED_H

#include <stdbool.h>
#include <stddef.h>

#include "traceformat/traceformat.h"

/* An instruction of a basic block. */
struct code_point {
	uint32_t block; /* id */
	uint32_t insn;  /* index */
};

/* A place in code: an offset in a module, or a pc with TF_NONE. */
struct code_place {
	uint64_t value, module;
};

/* Returns the place `distance` bytes after a basic block's start. */
static inline struct code_place code_place_at(const struct tf_block *block, uint64_t distance)
{
	uint64_t base = block->module == TF_NONE ? block->pc : block->module_offset;

	return (struct code_place){ base + distance, block->module };
}

/* Returns true if control can go on behind a basic block without a transfer. */
static inline bool falls_through(const struct tf_block *block)
{
	return block->end == TF_END_NONE || block->end == TF_END_OPAQUE;
}

struct executed {
	uint32_t *reached; /* by id of a block: its first instructions were executed; 0: none */
	struct code_point *resumed; /* places where execution only went on after an interruption */
	size_t n_resumed;
};

/*
 * Finds the executed code of a loaded trace: of its vectors if it has any, else of its executions.
 * Damaged parts count nothing. jobs: threads that may
 * decode vectors, not 0. Ends the process if memory is
 * out. Returns false after a message.
 */
bool executed_find(struct tf_reader *reader, bool vectors, unsigned jobs,
		   struct executed *executed);
void executed_free(struct executed *executed);

#endif
