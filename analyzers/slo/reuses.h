/* SPDX-License-Identifier: MIT */
/*
 * Finds the reuses of the data of one thread, by touches of memory blocks: at which stack distance,
 * what separates them, and which instructions touch.
 */
#ifndef SLO_REUSES_H
#define SLO_REUSES_H

#include "analyzers/slo/data.h"
#include "analyzers/slo/groups.h"
#include "analyzers/slo/touches.h"

/* The inputs of the search for reuses. */
struct reuses_setup {
	const struct tf_reader *reader;
	const struct slo_code *code;
	const size_t *first_insn; /* by block id: the number of its first instruction */
	unsigned shift;           /* log2 of the bytes of a memory block */
	uint64_t shortest;        /* distance of the reuses that are wanted, in blocks */
	struct contexts *contexts;
	struct slo_groups *groups; /* receive the reuses */
	struct slo_data *data;     /* NULL: the touched data are not wanted */
};

struct reuses {
	const struct reuses_setup *setup;
	uint32_t thread, process;
	uint64_t space; /* the number that is added to the addresses of this process */
	uint64_t touches, cold, wanted;
	unsigned execution, slot, touch; /* of the batch: the next ones */
	struct walker walker;
	ARRAY(struct last_touch) last; /* by the ref of lru_stack_touch */
};

/*
 * Initializes the search in a thread. The setup and all objects to which it points must outlive it.
 * Ends the process if memory is out, as all functions here do.
 */
void reuses_init(struct reuses *reuses, const struct reuses_setup *setup, uint32_t thread);
void reuses_free(struct reuses *reuses);

/* Begins a batch of the thread. */
void reuses_begin(struct reuses *reuses, const struct touch_batch *batch);

/* Handles the batch up to an execution, which it does not enter. */
void reuses_until(struct reuses *reuses, const struct touch_batch *batch, unsigned execution);

static inline void reuses_event(struct reuses *reuses, const struct tf_event *event)
{
	walker_event(&reuses->walker, event);
}

#endif
