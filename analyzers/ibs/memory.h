/* SPDX-License-Identifier: MIT */
/* The memory of a core: caches, TLBs, and the lines that it waits for. Times are in cycles. */
#ifndef IBS_MEMORY_H
#define IBS_MEMORY_H

#include "analyzers/ibs/set_cache.h"
#include "analyzers/ibs/machine.h"

enum memory_source { FROM_L1, FROM_L2, FROM_L3, FROM_MEMORY };

enum { MAX_MISS_BUFFERS = 64, PENDING_LINES = 256 };

struct memory {
	const struct machine *machine;
	struct set_cache l1i, l1d, l2, itlb, dtlb, l2_tlb;
	struct set_cache *l3;		/* shared by all cores */
	uint64_t space;			/* added to lines there: other processes have other memory */
	uint64_t buffers[MAX_MISS_BUFFERS];	/* when they are free again */
	struct pending_line {
		uint64_t line, ready;
	} pending[PENDING_LINES];	/* by line; one of two that collide is forgotten */
	uint64_t all_ready;		/* from here on no line is pending */
};

/* What an op's accesses met: their times and flags, taken together. */
struct memory_access {
	uint64_t ready;			/* when a load's data can be used */
	uint32_t miss_latency;		/* from the L1D miss to the data; loads that missed */
	uint32_t tlb_refill;		/* cycles until L1 DTLB had the page, 0 if it had it */
	uint8_t source;			/* enum memory_source */
	uint8_t open_requests;		/* miss buffers in use when it was issued */
	bool l1_miss;			/* also of a line that is on its way already, */
	bool was_pending;		/* which this says */
	bool l2_miss, l1_tlb_miss, l2_tlb_miss;
	bool crosses_line;
};

/* Memory that is out ends the process. l3 and the machine must outlive it. */
void memory_init(struct memory *memory, const struct machine *machine, struct set_cache *l3);
void memory_free(struct memory *memory);

/* A load issued at a cycle; adds to *access, which was zeroed before an op's first one. */
void memory_load(struct memory *memory, uint64_t address, uint32_t size, uint64_t cycle,
		 struct memory_access *access);

/* A store: it changes caches and TLBs, and nobody waits for it. */
void memory_store(struct memory *memory, uint64_t address, uint32_t size,
		  struct memory_access *access);

/* Fetches the line of a pc. Returns the cycles that this takes longer than a hit. */
uint32_t memory_fetch(struct memory *memory, uint64_t pc);

#endif
