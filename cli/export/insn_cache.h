/* SPDX-License-Identifier: MIT */
/* The facts that formats write of a static instruction, computed once from its code. */
#ifndef INSN_CACHE_H
#define INSN_CACHE_H

#include "cli/export/linear.h"

struct insn_facts {
	const struct tf_block *block;
	uint16_t index; /* of the instruction in the block */
	struct isa_insn insn;
	struct isa_effects effects;
	struct isa_facts facts;
	const uint8_t *code; /* NULL: withheld */
	bool known; /* false: the instruction is opaque, and insn, effects and facts are zero */
};

struct insn_cache {
	size_t size;
	void (*fill)(void *entry, const struct insn_facts *facts, const void *opaque);
	const void *opaque;
	enum isa_vendor vendor;
	const struct tf_block *block; /* the last one */
	char *entries;                /* of that block */
	uint32_t n_blocks;
	char *blocks[]; /* the entries of each block that has been executed, else NULL */
};

/*
 * Makes a cache of entries of size zeroed bytes, which fill makes from facts; NULL: they stay zero.
 * Ends the process without memory.
 */
struct insn_cache *insn_cache_new(struct tf_reader *reader, size_t size,
				  void (*fill)(void *entry, const struct insn_facts *facts,
					       const void *opaque),
				  const void *opaque);
void insn_cache_free(struct insn_cache *cache);

/* Moves to the entries of a block. */
void insn_cache_enter(struct insn_cache *cache, const struct tf_block *block);

/*
 * Returns the entry of an instruction, which stays where it is until insn_cache_free(). The caller
 * may change it.
 */
static inline void *insn_cache_get(struct insn_cache *cache, const struct linear_insn *insn)
{
	if (cache->block != insn->block)
		insn_cache_enter(cache, insn->block);
	return cache->entries + insn->index * cache->size;
}

#endif
