/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/caches.h"

#include "cli/common/checked.h"

void set_cache_init(struct set_cache *cache, uint32_t entries, uint32_t ways)
{
	cache->sets = entries / ways ? entries / ways : 1;
	cache->mask = cache->sets & (cache->sets - 1) ? 0 : cache->sets - 1;
	cache->ways = ways;
	cache->lines = checked_array((size_t)cache->sets * ways, sizeof(*cache->lines));
}

void set_cache_free(struct set_cache *cache)
{
	free(cache->lines);
}

uint64_t set_cache_move_up(uint64_t *set, uint32_t ways, uint64_t line)
{
	uint64_t previous = line + 1;

	for (uint32_t way = 0; way < ways; way++) {
		uint64_t here = set[way];

		set[way] = previous;
		previous = here;
		if (here == line + 1)
			break;
	}
	return previous;
}

bool set_cache_raise_older(uint64_t *set, uint32_t ways, uint64_t line)
{
	uint32_t way = 1;

	while (way < ways && set[way] != line + 1)
		way++;
	if (way >= ways)
		return false;
	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = line + 1;
	return true;
}

bool set_cache_has(const struct set_cache *cache, uint64_t line)
{
	const uint64_t *set = set_cache_set(cache, line);

	for (uint32_t way = 0; way < cache->ways; way++)
		if (set[way] == line + 1)
			return true;
	return false;
}

void prefetcher_init(struct prefetcher *prefetcher, enum machine_prefetcher kind, uint32_t distance)
{
	*prefetcher = (struct prefetcher){ .kind = kind, .distance = distance };
}

/*
 * Returns a stride, modulo 2^64, of at least a line, since the lines ahead are the same for all
 * shorter strides.
 */
static uint64_t step_of(uint64_t stride, uint64_t unit)
{
	bool down = stride >> 63;

	if ((down ? -stride : stride) >= unit)
		return stride;
	return down ? -unit : unit;
}

uint64_t prefetcher_next(struct prefetcher *prefetcher, uint64_t key, uint64_t position,
			 uint64_t unit)
{
	if (prefetcher->kind == PREFETCH_NEXT_LINE)
		return position + unit;
	return position +
	       prefetcher->distance * step_of(prefetcher_entry(prefetcher, key)->stride, unit);
}

enum { LINE = 1 << MACHINE_LINE_SHIFT, PAGE_LINES_SHIFT = MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT };

void lower_memory_init(struct lower_memory *lower, const struct machine *machine,
		       struct set_cache *l3)
{
	*lower = (struct lower_memory){ .machine = machine, .l3 = l3 };
	set_cache_init(&lower->l2, machine->l2_size / LINE, machine->l2_ways);
	prefetcher_init(&lower->prefetcher, machine->l2_prefetcher, machine->prefetch_distance);
}

void lower_memory_free(struct lower_memory *lower)
{
	set_cache_free(&lower->l2);
}

/* Fetches a line that L2 does not have from the level that has it. */
static enum memory_source fill_l2(struct lower_memory *lower, uint64_t line, uint64_t evicted)
{
	bool hit;

	if (lower->machine->l3_victim) {
		hit = set_cache_has(lower->l3, line + lower->space);
		if (evicted)
			set_cache_touch(lower->l3, evicted - 1 + lower->space);
	} else {
		hit = set_cache_touch(lower->l3, line + lower->space);
	}
	return hit ? FROM_L3 : FROM_MEMORY;
}

static enum memory_source find_line(struct lower_memory *lower, uint64_t line)
{
	uint64_t *set = set_cache_set(&lower->l2, line);
	uint64_t out = set_cache_move_up(set, lower->machine->l2_ways, line);

	return out == line + 1 ? FROM_L2 : fill_l2(lower, line, out);
}

/*
 * Returns the first free interval from `cycle` on; memory delivers one line in each interval.
 * Accesses come in the order of the program, so that a later one may take an earlier interval.
 */
static uint64_t memory_begins(struct lower_memory *lower, uint64_t cycle)
{
	uint32_t interval = lower->machine->memory_interval;

	if (!interval)
		return cycle;
	uint64_t slot = cycle / interval;

	while (lower->slots[slot % MEMORY_SLOTS] == slot + 1)
		slot++;
	lower->slots[slot % MEMORY_SLOTS] = slot + 1;
	return slot * interval > cycle ? slot * interval : cycle;
}

uint64_t lower_memory_read(struct lower_memory *lower, uint64_t line, uint64_t cycle,
			   enum memory_source *source)
{
	const struct machine *machine = lower->machine;

	*source = find_line(lower, line);
	if (*source == FROM_MEMORY)
		return memory_begins(lower, cycle) + machine->memory_latency;
	if (*source == FROM_L3)
		return cycle + machine->l3_latency;

	uint64_t hit = cycle + machine->l2_latency;
	uint64_t ready = pending_ready(&lower->prefetched, line);

	return ready > hit ? ready : hit;
}

void lower_memory_prefetch(struct lower_memory *lower, uint64_t line, uint64_t cycle)
{
	uint64_t page = line >> PAGE_LINES_SHIFT, next;
	enum memory_source source;

	if (!prefetcher_predicts(&lower->prefetcher, page, line))
		return;
	next = prefetcher_next(&lower->prefetcher, page, line, 1);
	if (next >> PAGE_LINES_SHIFT != page || set_cache_has(&lower->l2, next))
		return;
	pending_add(&lower->prefetched, next, lower_memory_read(lower, next, cycle, &source));
}
