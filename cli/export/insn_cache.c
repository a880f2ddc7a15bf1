/* SPDX-License-Identifier: MIT */
#include "cli/export/insn_cache.h"

#include "cli/common/checked.h"
#include "cli/common/trace_meta.h"

struct insn_cache *insn_cache_new(struct tf_reader *reader, size_t size,
				  void (*fill)(void *entry, const struct insn_facts *facts,
					       const void *opaque),
				  const void *opaque)
{
	uint32_t n = tf_n_blocks(reader);
	struct insn_cache *cache = checked_array(1, sizeof(struct insn_cache) +
							    n * sizeof(cache->blocks[0]));

	cache->size = size;
	cache->fill = fill;
	cache->opaque = opaque;
	cache->vendor = recorded_vendor(reader);
	cache->n_blocks = n;
	return cache;
}

void insn_cache_free(struct insn_cache *cache)
{
	if (!cache)
		return;
	for (uint32_t i = 0; i < cache->n_blocks; i++)
		free(cache->blocks[i]);
	free(cache);
}

static struct insn_facts facts_of(const struct tf_block *block, uint16_t i, enum isa_vendor vendor)
{
	const struct tf_insn *insn = &block->insns[i];
	struct insn_facts f = { .block = block,
				.index = i,
				.code = block->kinds ? NULL : block->code + insn->offset,
				.known = !(insn->flags & TF_INSN_OPAQUE) };

	f.known = f.known && isa_block_insn(block, i, vendor, &f.insn) == 0 &&
		  isa_block_effects(block, i, vendor, &f.effects) == 0 &&
		  isa_block_facts(block, i, vendor, &f.facts) == 0;
	return f.known ? f : (struct insn_facts){ .block = block, .index = i };
}

static char *entries_of(const struct insn_cache *cache, const struct tf_block *block)
{
	char *entries = checked_array(block->n_insns, cache->size);

	for (uint16_t i = 0; i < block->n_insns && cache->fill; i++) {
		struct insn_facts facts = facts_of(block, i, cache->vendor);

		cache->fill(entries + i * cache->size, &facts, cache->opaque);
	}
	return entries;
}

void insn_cache_enter(struct insn_cache *cache, const struct tf_block *block)
{
	char **entries = &cache->blocks[block->id];

	if (!*entries)
		*entries = entries_of(cache, block);
	cache->block = block;
	cache->entries = *entries;
}
