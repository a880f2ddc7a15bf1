/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/model/memory.h"

enum {
	LINE = 1 << MACHINE_LINE_SHIFT,
	PAGE_LINES = 1 << (MACHINE_PAGE_SHIFT - MACHINE_LINE_SHIFT),
};

void memory_init(struct memory *m, const struct machine *machine, struct set_cache *l3)
{
	*m = (struct memory){ .machine = machine };
	lower_memory_init(&m->lower, machine, l3);
	translation_init(&m->translation, machine, &m->lower);
	set_cache_init(&m->l1d, machine->l1d_size / LINE, machine->l1d_ways);
	prefetcher_init(&m->prefetcher, machine->l1_prefetcher, machine->prefetch_distance);
}

void memory_free(struct memory *m)
{
	lower_memory_free(&m->lower);
	translation_free(&m->translation);
	set_cache_free(&m->l1d);
}

/* Adds the refill of a page to an op's outcome. Returns the refill's cycles. */
static uint32_t translate(struct memory *m, uint64_t address, uint64_t cycle,
			  struct memory_access *access)
{
	struct translated t = translate_data(&m->translation, address, cycle);

	access->l1_tlb_miss |= t.l1_miss;
	access->l2_tlb_miss |= t.l2_miss;
	if (access->tlb_refill < t.refill)
		access->tlb_refill = t.refill;
	return t.refill;
}

/* ---- misses ------------------------------------------------------------------------------ */

static uint32_t buffer_before(const struct memory *m, uint32_t buffer)
{
	return (buffer ? buffer : m->machine->miss_buffers) - 1;
}

static uint8_t buffers_in_use(const struct memory *m, uint64_t cycle)
{
	uint32_t buffer = buffer_before(m, m->first_buffer);
	uint8_t used = 0;

	for (; used < m->machine->miss_buffers && m->buffers[buffer] > cycle; used++)
		buffer = buffer_before(m, buffer);
	return used;
}

/* Returns the cycle in which a buffer is free. */
static uint64_t buffer_room(const struct memory *m)
{
	return m->buffers[m->first_buffer];
}

/* Uses the buffer that is free first, until a cycle. */
static void use_buffer(struct memory *m, uint64_t free_at)
{
	uint32_t here = m->first_buffer, first = here + 1, before = buffer_before(m, here);

	m->first_buffer = first = first < m->machine->miss_buffers ? first : 0;
	for (; here != first && m->buffers[before] > free_at; before = buffer_before(m, here)) {
		m->buffers[here] = m->buffers[before];
		here = before;
	}
	m->buffers[here] = free_at;
}

static void note_miss(struct memory_access *access, enum memory_source source)
{
	access->l1_miss = true;
	access->l2_miss |= source > FROM_L2;
	if (access->source < source)
		access->source = source;
}

/* Fetches a line that L1D does not have. Returns the cycle in which its data can be used. */
static uint64_t fill_line(struct memory *m, uint64_t line, uint64_t cycle,
			  struct memory_access *access)
{
	uint64_t room = buffer_room(m), start = cycle > room ? cycle : room, ready;
	enum memory_source source;

	access->open_requests = buffers_in_use(m, cycle);
	ready = lower_memory_read(&m->lower, line, start, &source);
	use_buffer(m, ready);
	note_miss(access, source);
	pending_add(&m->pending, line, ready);
	lower_memory_prefetch(&m->lower, line, start);
	return ready;
}

/* Fetches a line that is predicted to be needed, if a buffer is free for it. */
static void prefetch_line(struct memory *m, uint64_t line, uint64_t cycle)
{
	enum memory_source ignored;
	uint64_t ready;

	if (buffer_room(m) > cycle || set_cache_has(&m->l1d, line))
		return;
	set_cache_touch(&m->l1d, line);
	ready = lower_memory_read(&m->lower, line, cycle, &ignored);
	use_buffer(m, ready);
	pending_add(&m->pending, line, ready);
}

/* Prefetches never cross pages, because the next page's address is not known. */
void memory_prefetch_next(struct memory *m, uint64_t pc, uint64_t address, uint64_t cycle)
{
	uint64_t next = prefetcher_next(&m->prefetcher, pc, address, LINE);

	if (next >> MACHINE_PAGE_SHIFT == address >> MACHINE_PAGE_SHIFT &&
	    next >> MACHINE_LINE_SHIFT != address >> MACHINE_LINE_SHIFT)
		prefetch_line(m, next >> MACHINE_LINE_SHIFT, cycle);
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void load_line(struct memory *m, uint64_t line, uint64_t cycle, struct memory_access *access)
{
	uint64_t hit = cycle + m->machine->l1d_latency, ready = hit;

	if (!set_cache_touch(&m->l1d, line)) {
		ready = fill_line(m, line, cycle, access);
	} else if (cycle < m->pending.all_ready && pending_ready(&m->pending, line) > hit) {
		ready = pending_ready(&m->pending, line);
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

void memory_load(struct memory *m, uint64_t pc, uint64_t address, uint32_t size, uint64_t cycle,
		 struct memory_access *access)
{
	uint64_t line = address >> MACHINE_LINE_SHIFT, last = last_line(address, size, access);
	uint64_t translated = cycle + translate(m, address, cycle, access);

	for (;; line++) {
		load_line(m, line, translated, access);
		if (line >= last)
			break;
		if ((line + 1) % PAGE_LINES == 0)
			translated = cycle +
				     translate(m, (line + 1) << MACHINE_LINE_SHIFT, cycle, access);
	}
	memory_prefetch(m, pc, address, translated);
}

static void store_line(struct memory *m, uint64_t line, uint64_t cycle,
		       struct memory_access *access)
{
	enum memory_source source;

	if (set_cache_touch(&m->l1d, line))
		return;
	lower_memory_read(&m->lower, line, cycle, &source);
	note_miss(access, source);
	lower_memory_prefetch(&m->lower, line, cycle);
}

void memory_store(struct memory *m, uint64_t address, uint32_t size, uint64_t cycle,
		  struct memory_access *access)
{
	uint64_t line = address >> MACHINE_LINE_SHIFT, last = last_line(address, size, access);

	translate(m, address, cycle, access);
	for (;; line++) {
		store_line(m, line, cycle, access);
		if (line >= last)
			break;
		if ((line + 1) % PAGE_LINES == 0)
			translate(m, (line + 1) << MACHINE_LINE_SHIFT, cycle, access);
	}
}
