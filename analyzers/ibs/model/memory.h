/* SPDX-License-Identifier: MIT */
/*
 * The data memory of a core: L1D, the lines for which it waits, and the levels behind it. Times are
 * in cycles.
 */
#ifndef IBS_MEMORY_H
#define IBS_MEMORY_H

#include "analyzers/ibs/model/caches.h"
#include "analyzers/ibs/model/translation.h"

enum { MAX_MISS_BUFFERS = 64 };

struct memory {
	const struct machine *machine;
	struct lower_memory lower;
	struct translation translation;
	struct set_cache l1d;
	struct prefetcher prefetcher;
	/* When the miss buffers are free again: a ring that begins with the first of them. */
	uint64_t buffers[MAX_MISS_BUFFERS];
	uint32_t first_buffer;
	struct pending_lines pending;
};

/* The outcome of an op's accesses: their times and flags, combined. */
struct memory_access {
	uint64_t ready;        /* when a load's data can be used */
	uint32_t miss_latency; /* of a load that missed L1D: cycles from the miss to the data */
	uint32_t tlb_refill;   /* cycles until L1 DTLB had the page, 0 if it had it */
	uint8_t source;        /* enum memory_source */
	uint8_t open_requests; /* miss buffers in use when it was issued */
	bool l1_miss;          /* the line was not in L1D, though maybe on its way */
	bool was_pending;      /* the line was on its way already */
	bool l2_miss, l1_tlb_miss, l2_tlb_miss;
	bool crosses_line;
};

/*
 * Initializes the memory, which l3 and the machine must outlive. Ends the process if memory is out.
 */
void memory_init(struct memory *memory, const struct machine *machine, struct set_cache *l3);
void memory_free(struct memory *memory);

/*
 * Executes a load that the instruction at pc issues at a cycle. Adds to *access, which must be
 * zeroed before an op's first access.
 */
void memory_load(struct memory *memory, uint64_t pc, uint64_t address, uint32_t size,
		 uint64_t cycle, struct memory_access *access);

/* Executes a store. It changes caches and TLBs, and no op waits for it. */
void memory_store(struct memory *memory, uint64_t address, uint32_t size, uint64_t cycle,
		  struct memory_access *access);

/* Does what memory_prefetch does, for an instruction whose next access is predicted. */
void memory_prefetch_next(struct memory *memory, uint64_t pc, uint64_t address, uint64_t cycle);

/*
 * Prefetches the data that the instruction at pc, which has read an address, is predicted to read
 * next.
 */
static inline void memory_prefetch(struct memory *m, uint64_t pc, uint64_t address, uint64_t cycle)
{
	if (prefetcher_predicts(&m->prefetcher, pc, address))
		memory_prefetch_next(m, pc, address, cycle);
}

/*
 * Returns true if an access is to a line in L1D, in a page at the TLB's predicted place. All
 * effects of the access but prefetches are then done. Otherwise none are done that the access in
 * full would not do in the same way.
 */
static inline bool memory_hits(struct memory *m, uint64_t address, uint32_t size)
{
	uint64_t line = address >> MACHINE_LINE_SHIFT;

	return (address + size - 1) >> MACHINE_LINE_SHIFT == line &&
	       set_cache_raise(&m->l1d, line) &&
	       tlb_hits(&m->translation.dtlb, address >> MACHINE_PAGE_SHIFT);
}

/*
 * Does what memory_load does, for an access that only hits. Returns the time at which its data can
 * be used, or 0 if the access does not only hit and must be done in full.
 */
static inline uint64_t memory_load_hit(struct memory *m, uint64_t pc, uint64_t address,
				       uint32_t size, uint64_t cycle)
{
	uint64_t ready = cycle + m->machine->l1d_latency;

	if (cycle < m->pending.all_ready &&
	    pending_ready(&m->pending, address >> MACHINE_LINE_SHIFT) > ready)
		return 0;
	if (!memory_hits(m, address, size))
		return 0;
	memory_prefetch(m, pc, address, cycle);
	return ready;
}

#endif
