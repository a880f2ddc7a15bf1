/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/lower.h"

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
	enum memory_source source;
	uint64_t next;

	if (!prefetcher_next(&lower->prefetcher, line >> PAGE_LINES_SHIFT, line, 1, &next) ||
	    next >> PAGE_LINES_SHIFT != line >> PAGE_LINES_SHIFT || set_cache_has(&lower->l2, next))
		return;
	pending_add(&lower->prefetched, next, lower_memory_read(lower, next, cycle, &source));
}
