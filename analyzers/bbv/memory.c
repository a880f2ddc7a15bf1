/* SPDX-License-Identifier: MIT */
#include "analyzers/bbv/memory.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/quantity.h"

struct cache {
	uint64_t n_sets, ways;
	uint64_t *lines; /* a set after the other, the last used first: line + 1; 0: empty */
};

struct bbv_memory {
	enum bbv_memory_kind kind;
	unsigned n_levels;
	struct cache levels[BBV_MAX_LEVELS];
};

const char *bbv_caches_parse(const char *text, struct bbv_caches *caches)
{
	struct bbv_caches c = { 0 };

	while (*text) {
		char size[32], ways[32];
		int used = 0;

		if (c.n_levels == BBV_MAX_LEVELS)
			return "at most 4 levels";
		if (sscanf(text, "%31[^:,]:%31[^:,]%n", size, ways, &used) != 2 ||
		    !parse_size(size, &c.levels[c.n_levels].size) ||
		    !parse_count(ways, &c.levels[c.n_levels].ways))
			return "not SIZE:WAYS,... such as 32Ki:8,1Mi:16";
		uint64_t n = c.levels[c.n_levels].size, w = c.levels[c.n_levels].ways;

		if (!w || w > 64 || n > UINT64_C(1) << 32 || n < w * BBV_LINE || n % (w * BBV_LINE))
			return "a cache has 1 to 64 ways, and whole sets of 64-byte lines, up to "
			       "4Gi";
		c.n_levels++;
		text += used;
		if (*text == ',' && text[1])
			text++;
		else if (*text)
			return "not SIZE:WAYS,... such as 32Ki:8,1Mi:16";
	}
	if (!c.n_levels)
		return "no cache";
	*caches = c;
	return NULL;
}

struct bbv_memory *bbv_memory_new(enum bbv_memory_kind kind, const struct bbv_caches *caches)
{
	struct bbv_memory *memory = checked_array(1, sizeof(*memory));

	memory->kind = kind;
	memory->n_levels = kind == BBV_MISSES ? caches->n_levels : 0;
	for (unsigned i = 0; i < memory->n_levels; i++) {
		struct cache *cache = &memory->levels[i];

		cache->ways = caches->levels[i].ways;
		cache->n_sets = caches->levels[i].size / BBV_LINE / cache->ways;
		cache->lines = checked_array(cache->n_sets * cache->ways, sizeof(*cache->lines));
	}
	return memory;
}

void bbv_memory_free(struct bbv_memory *memory)
{
	if (!memory)
		return;
	for (unsigned i = 0; i < memory->n_levels; i++)
		free(memory->levels[i].lines);
	free(memory);
}

/* Makes line the last used of its set; returns whether it was there. */
static bool use(struct cache *cache, uint64_t line)
{
	uint64_t *set = cache->lines + line % cache->n_sets * cache->ways;
	uint64_t i = 0;

	while (i < cache->ways && set[i] != line + 1)
		i++;
	bool hit = i < cache->ways;

	memmove(set + 1, set, (hit ? i : cache->ways - 1) * sizeof(*set));
	set[0] = line + 1;
	return hit;
}

/* Returns the level that has the line, from 1. */
static unsigned level_of(struct bbv_memory *memory, uint64_t line)
{
	unsigned level = 0;

	while (level < memory->n_levels && !use(&memory->levels[level], line))
		level++;
	return level + 1;
}

static void count_access(struct bbv_memory *memory, struct bbv_thread *thread, uint64_t address,
			 uint32_t size)
{
	if (memory->kind == BBV_PAGES) {
		bbv_access(thread, address / BBV_PAGE, 1);
		return;
	}
	uint64_t first = address / BBV_LINE, last = (address + (size ? size - 1 : 0)) / BBV_LINE;
	unsigned slowest = level_of(memory, first);

	for (uint64_t line = first; line != last;) {
		unsigned level = level_of(memory, ++line);

		slowest = level > slowest ? level : slowest;
	}
	bbv_access(thread, slowest, 1);
}

void bbv_memory_count(struct bbv_memory *memory, struct bbv_thread *thread,
		      const struct tf_block_exec *exec)
{
	struct tf_block_accesses it;

	tf_block_accesses_begin(&it, exec);
	while (tf_block_accesses_next(&it))
		if (it.operand->access & (TF_LOAD | TF_STORE))
			count_access(memory, thread, it.address, it.size);
}
