/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/memory.h"

enum { LINE = 1 << MACHINE_LINE_SHIFT };

void memory_init(struct memory *m, const struct machine *machine, struct set_cache *l3)
{
	*m = (struct memory){ .machine = machine, .l3 = l3 };
	set_cache_init(&m->l1i, machine->l1i_size / LINE, machine->l1i_ways);
	set_cache_init(&m->l1d, machine->l1d_size / LINE, machine->l1d_ways);
	set_cache_init(&m->l2, machine->l2_size / LINE, machine->l2_ways);
	set_cache_init(&m->itlb, machine->itlb_entries, machine->itlb_entries);
	set_cache_init(&m->dtlb, machine->dtlb_entries, machine->dtlb_entries);
	set_cache_init(&m->l2_tlb, machine->l2_tlb_entries, machine->l2_tlb_ways);
}

void memory_free(struct memory *m)
{
	set_cache_free(&m->l1i);
	set_cache_free(&m->l1d);
	set_cache_free(&m->l2);
	set_cache_free(&m->itlb);
	set_cache_free(&m->dtlb);
	set_cache_free(&m->l2_tlb);
}

/* Where a line that L1 does not have is. */
static enum memory_source find_line(struct memory *m, uint64_t line)
{
	if (set_cache_touch(&m->l2, line))
		return FROM_L2;
	return set_cache_touch(m->l3, line + m->space) ? FROM_L3 : FROM_MEMORY;
}

static uint32_t latency_from(const struct machine *machine, enum memory_source source)
{
	const uint32_t latencies[] = {
		[FROM_L1] = machine->l1d_latency, [FROM_L2] = machine->l2_latency,
		[FROM_L3] = machine->l3_latency, [FROM_MEMORY] = machine->memory_latency,
	};

	return latencies[source];
}

static uint32_t refill_tlb(struct memory *m, uint64_t page, bool *l2_miss)
{
	*l2_miss = !set_cache_touch(&m->l2_tlb, page);
	return m->machine->l2_tlb_latency + (*l2_miss ? m->machine->walk_latency : 0);
}

uint32_t memory_fetch(struct memory *m, uint64_t pc)
{
	uint64_t line = pc >> MACHINE_LINE_SHIFT, page = pc >> MACHINE_PAGE_SHIFT;
	uint32_t cycles = 0;
	bool l2_tlb_miss;

	if (!set_cache_touch(&m->itlb, page))
		cycles += refill_tlb(m, page, &l2_tlb_miss);
	if (!set_cache_touch(&m->l1i, line))
		cycles += latency_from(m->machine, find_line(m, line));
	return cycles;
}

/* ---- data -------------------------------------------------------------------------------- */

static uint32_t translate(struct memory *m, uint64_t address, struct memory_access *access)
{
	uint64_t page = address >> MACHINE_PAGE_SHIFT;
	bool l2_miss;

	if (set_cache_touch(&m->dtlb, page))
		return 0;
	uint32_t cycles = refill_tlb(m, page, &l2_miss);

	access->l1_tlb_miss = true;
	access->l2_tlb_miss |= l2_miss;
	if (access->tlb_refill < cycles)
		access->tlb_refill = cycles;
	return cycles;
}

static uint8_t buffers_in_use(const struct memory *m, uint64_t cycle)
{
	uint8_t used = 0;

	for (uint32_t i = 0; i < m->machine->miss_buffers; i++)
		used += m->buffers[i] > cycle;
	return used;
}

/* Returns when a buffer is free, which is then in use for `latency` cycles. */
static uint64_t take_buffer(struct memory *m, uint64_t cycle, uint32_t latency)
{
	uint64_t *first = &m->buffers[0];

	for (uint64_t *b = m->buffers; b < m->buffers + m->machine->miss_buffers; b++)
		if (*b < *first)
			first = b;
	uint64_t start = cycle > *first ? cycle : *first;

	*first = start + latency;
	return start;
}

static void note_miss(struct memory_access *access, enum memory_source source)
{
	access->l1_miss = true;
	access->l2_miss |= source > FROM_L2;
	if (access->source < source)
		access->source = source;
}

static struct pending_line *pending_at(struct memory *m, uint64_t line)
{
	return &m->pending[line % PENDING_LINES];
}

static uint64_t fill_line(struct memory *m, uint64_t line, uint64_t cycle,
			  struct memory_access *access)
{
	enum memory_source source = find_line(m, line);
	uint32_t latency = latency_from(m->machine, source);

	access->open_requests = buffers_in_use(m, cycle);
	note_miss(access, source);

	uint64_t ready = take_buffer(m, cycle, latency) + latency;

	*pending_at(m, line) = (struct pending_line){ line, ready };
	if (m->all_ready < ready)
		m->all_ready = ready;
	return ready;
}

static void load_line(struct memory *m, uint64_t line, uint64_t cycle,
		      struct memory_access *access)
{
	uint64_t hit = cycle + m->machine->l1d_latency, ready = hit;
	const struct pending_line *pending = pending_at(m, line);

	if (!set_cache_touch(&m->l1d, line)) {
		ready = fill_line(m, line, cycle, access);
	} else if (cycle < m->all_ready && pending->line == line && pending->ready > hit) {
		ready = pending->ready;
		access->was_pending = access->l1_miss = true;
		access->open_requests = buffers_in_use(m, cycle);
	}
	if (ready > hit && access->miss_latency < ready - hit)
		access->miss_latency = ready - hit;
	if (access->ready < ready)
		access->ready = ready;
}

static uint64_t last_line(uint64_t address, uint32_t size, struct memory_access *access)
{
	uint64_t first = address >> MACHINE_LINE_SHIFT;
	uint64_t last = (address + (size ? size - 1 : 0)) >> MACHINE_LINE_SHIFT;

	access->crosses_line |= first != last;
	return last;
}

void memory_load(struct memory *m, uint64_t address, uint32_t size, uint64_t cycle,
		 struct memory_access *access)
{
	uint64_t line = address >> MACHINE_LINE_SHIFT, last = last_line(address, size, access);
	uint64_t translated = cycle + translate(m, address, access);

	for (;; line++) {
		load_line(m, line, translated, access);
		if (line >= last)
			break;
		if ((line + 1) % (1 << (MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT)) == 0)
			translated = cycle + translate(m, (line + 1) << MACHINE_LINE_SHIFT, access);
	}
}

void memory_store(struct memory *m, uint64_t address, uint32_t size, struct memory_access *access)
{
	uint64_t line = address >> MACHINE_LINE_SHIFT, last = last_line(address, size, access);

	translate(m, address, access);
	for (;; line++) {
		if (!set_cache_touch(&m->l1d, line))
			note_miss(access, find_line(m, line));
		if (line >= last)
			break;
		if ((line + 1) % (1 << (MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT)) == 0)
			translate(m, (line + 1) << MACHINE_LINE_SHIFT, access);
	}
}
