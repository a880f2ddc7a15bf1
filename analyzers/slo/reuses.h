/* SPDX-License-Identifier: MIT */
/*
 * Finds the reuses of the data of one thread, by touches of memory blocks: at which stack distance,
 * what separates them, and which instructions touch.
 */
#ifndef SLO_REUSES_H
#define SLO_REUSES_H

#include "analyzers/locality/accesses.h"
#include "analyzers/locality/lru_stack.h"
#include "analyzers/slo/data.h"
#include "analyzers/slo/groups.h"
#include "analyzers/slo/walker.h"

enum { SLO_PENDING = 1024 };

struct reuses {
	const struct slo_code *code;
	const size_t *first_insn;  /* by block id: the number of its first instruction */
	unsigned shift;            /* log2 of the bytes of a block */
	uint64_t shortest;         /* distance of the reuses that are wanted, in blocks */
	struct slo_groups *groups; /* receive the reuses */
	struct slo_data *data;     /* NULL: the touched data are not wanted */
	uint32_t process;          /* the thread's process */
	uint64_t space;            /* the number that is added to the addresses of this process */
	uint64_t touches, cold, wanted;
	struct walker walker;
	struct lru_stack stack;
	ARRAY(struct last_touch) last; /* by the ref of lru_stack_touch */
	struct reuses_batch *batch;
};

/* Executions and their accesses, while an item is fed. Threads that are fed in turn share it. */
struct reuses_batch {
	struct access_collector collector;
	unsigned n_pending; /* executions whose accesses are being collected */
	struct pending {
		struct tf_block_exec exec;
		size_t first; /* of its accesses in the collector */
	} pending[SLO_PENDING];
};

/* The inputs of the search for reuses. */
struct reuses_setup {
	const struct slo_code *code;
	const size_t *first_insn;
	unsigned shift;
	uint64_t shortest;
	struct contexts *contexts;
	struct slo_groups *groups;
	struct slo_data *data; /* NULL: the touched data are not wanted */
	struct reuses_batch *batch;
};

/*
 * Initializes a zeroed batch. accesses: the reads and writes of the trace's blocks, which outlive
 * it.
 */
void reuses_batch_init(struct reuses_batch *batch, const struct access_code *accesses);

/*
 * Initializes the search. All objects to which the setup points must outlive it. Ends the process
 * if memory is out.
 */
void reuses_init(struct reuses *reuses, const struct reuses_setup *setup);
void reuses_free(struct reuses *reuses);

/* Feeds an item of blocks with addresses. */
void reuses_feed(struct reuses *reuses, const struct tf_item *item);

static inline void reuses_event(struct reuses *reuses, const struct tf_event *event)
{
	walker_event(&reuses->walker, event);
}

#endif
