/* SPDX-License-Identifier: MIT */
/*
 * The front end of a core. In each cycle one fetch can begin: at the place where control arrives,
 * or where the line before ends. It brings the rest of that line of code. A fetch looks up the ITLB
 * and the L1I, or the ITLB and the op cache, whose ops need no decoder.
 */
#ifndef IBS_FRONTEND_H
#define IBS_FRONTEND_H

#include "analyzers/ibs/model/insn.h"
#include "analyzers/ibs/model/translation.h"

enum { MOST_FETCHES = 2 }; /* for an instruction */

enum op_cache_result { OP_CACHE_NONE, OP_CACHE_HIT, OP_CACHE_MISS };

struct fetch {
	uint64_t address;
	uint64_t begun;   /* the cycle in which the fetch began */
	uint32_t latency; /* cycles until its bytes arrive */
	bool l1_miss;     /* the fetch missed in L1I */
	uint8_t op_cache; /* enum op_cache_result */
	uint8_t source;   /* enum memory_source */
	struct translated translated;
};

struct frontend {
	const struct machine *machine;
	struct lower_memory *lower;
	struct translation *translation;
	struct set_cache l1i, op_cache, btb;
	uint64_t line;    /* the line fetched last + 1; 0: control left it */
	uint64_t next;    /* the cycle in which the next fetch can begin */
	uint64_t decoded; /* the cycle in which the last fetch's ops can be dispatched */
	struct fetch fetches[MOST_FETCHES]; /* the newest fetches */
};

/*
 * Initializes the front end, which all arguments must outlive. Ends the process if memory is out.
 */
void frontend_init(struct frontend *frontend, const struct machine *machine,
		   struct lower_memory *lower, struct translation *translation);
void frontend_free(struct frontend *frontend);

/* Does what frontend_fetch does, for an op that is not in the last line. */
unsigned frontend_fetch_lines(struct frontend *frontend, const struct ibs_op_facts *op);

/* Fetches an op; returns how many of the fetches are new. */
static inline unsigned frontend_fetch(struct frontend *frontend, const struct ibs_op_facts *op)
{
	if ((op->pc >> MACHINE_LINE_SHIFT) + 1 == frontend->line && !op->crosses_line)
		return 0;
	return frontend_fetch_lines(frontend, op);
}

/*
 * Does what frontend_fetch does, for an op in one line that is in the cache, in a page at the TLB's
 * predicted place. The fetch is not kept. Otherwise returns false, and the op must be fetched in
 * full.
 */
static inline bool frontend_hits(struct frontend *f, const struct ibs_op_facts *op)
{
	uint64_t line = op->pc >> MACHINE_LINE_SHIFT;
	struct set_cache *cache = f->machine->op_cache ? &f->op_cache : &f->l1i;

	if (op->crosses_line || !set_cache_raise(cache, line) ||
	    !tlb_hits(&f->translation->itlb, op->pc >> MACHINE_PAGE_SHIFT))
		return false;
	f->line = line + 1;
	f->decoded = f->next++ + f->machine->frontend_depth;
	return true;
}

/* Takes a predicted taken branch at pc. */
void frontend_jump(struct frontend *frontend, uint64_t pc);

/* Restarts fetch at a cycle, after a mispredicted branch. */
void frontend_restart(struct frontend *frontend, uint64_t cycle);

#endif
