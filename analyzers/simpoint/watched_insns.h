/* SPDX-License-Identifier: MIT */
/*
 * The instructions of a trace's blocks that are at some addresses: for counting the executions of a
 * few instructions while a trace is replayed. Each block is searched once.
 */
#ifndef WATCHED_INSNS_H
#define WATCHED_INSNS_H

#include "traceformat/common/array.h"
#include "traceformat/traceformat.h"

/* A watched instruction of a block. */
struct watched_insn {
	uint16_t index; /* in the block */
	size_t address; /* index among the addresses */
};

struct watched_block {
	bool known;                       /* the rest is valid */
	ARRAY(struct watched_insn) insns; /* ascending */
};

struct watched_insns {
	ARRAY(uint64_t) addresses;    /* ascending, each once */
	struct watched_block *blocks; /* by id */
	uint32_t n_blocks;
};

/*
 * Watches n addresses, given in any order, maybe several times. Ends the process if memory is out,
 * as watched_insns_of does.
 */
void watched_insns_init(struct watched_insns *watched, const struct tf_reader *reader,
			const uint64_t *addresses, size_t n);
void watched_insns_free(struct watched_insns *watched);

/* Returns the index of an address, or SIZE_MAX if it is not watched. */
size_t watched_insns_find(const struct watched_insns *watched, uint64_t address);

/* Does what watched_insns_of does, for a block that has not been searched. */
const struct watched_block *watched_insns_search(struct watched_insns *watched,
						 const struct tf_block *block);

/* Returns the watched instructions of a block of the trace. */
static inline const struct watched_block *watched_insns_of(struct watched_insns *watched,
							   const struct tf_block *block)
{
	const struct watched_block *found = &watched->blocks[block->id];

	return found->known ? found : watched_insns_search(watched, block);
}

#endif
