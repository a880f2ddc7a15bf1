/* SPDX-License-Identifier: MIT */
/* Numbers for the instructions of a trace, from 0, in the order of blocks. */
#ifndef INSN_NUMBERS_H
#define INSN_NUMBERS_H

#include "cli/common/checked.h"
#include "traceformat/traceformat.h"

/*
 * Returns, by block id, the number of the block's first instruction, and behind the last block the
 * number of all instructions. Free the array. Ends the process if memory is out.
 */
static inline size_t *number_insns(const struct tf_reader *reader)
{
	uint32_t n_blocks = tf_n_blocks(reader);
	size_t *first = checked_array(n_blocks + (size_t)1, sizeof(*first));

	for (uint32_t id = 0; id < n_blocks; id++) {
		const struct tf_block *block = tf_block(reader, id);

		first[id + 1] = first[id] + (block ? block->n_insns : 0);
	}
	return first;
}

#endif
