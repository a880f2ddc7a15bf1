/* SPDX-License-Identifier: MIT */
/* The accesses that hierarchies are fed with. */
#ifndef CACHE_ACCESS_H
#define CACHE_ACCESS_H

#include <stdint.h>

#include "traceformat/traceformat.h"

/* An access of an instruction: a fetch, or a read or a write of an operand. */
struct cache_access {
	uint64_t address; /* virtual; of process i, with i added at bit 48 */
	uint32_t size;    /* bytes */
	uint16_t count;   /* fetches: instructions fetched one after the other from one line */
	uint8_t kind;     /* enum cache_kind */
	uint8_t core;
};

/* The cause of an access. */
struct cache_origin {
	const struct tf_block *block;
	uint64_t pc;      /* of the instruction */
	uint64_t ordinal; /* of the instruction in its thread */
	uint32_t thread;
	uint16_t insn; /* index in the block */
};

#endif
