/* SPDX-License-Identifier: MIT */
/* The slots of an execution of the new trace. */
#ifndef VALUES_H
#define VALUES_H

#include "cli/anonymise/dictionary.h"

/*
 * Writes the slots of a block's execution.
 *
 *	executed	so many of its instructions were executed
 *	values		the block's, in the old trace
 *	slots		the block's, in the new trace, zeroed
 *
 * Returns false if the lanes of an operand are in different units though the first pass saw none.
 */
bool values_write(struct map_lookup *lookup, const struct block_layout *layout, uint32_t executed,
		  const uint64_t *values, uint64_t *slots);

#endif
