/* SPDX-License-Identifier: MIT */
/*
 * Finds the touches of memory blocks by executions, and hands them on in batches; then finds their
 * stack distances, perhaps in another thread, while the next batch is filled.
 */
#ifndef SLO_TOUCHES_H
#define SLO_TOUCHES_H

#include "analyzers/locality/accesses.h"
#include "analyzers/locality/lru_stack.h"
#include "analyzers/slo/walker.h"

enum { BATCH_TOUCHES = 4096, BATCH_EXECUTIONS = 2048, BATCH_EVENTS = 64 };

/* Executions of one thread, with their touches and with events, in order. */
struct touch_batch {
	uint32_t thread; /* TF_NONE: there are only events */
	unsigned n_executions, n_slots, n_touches, n_events;
	size_t n_refs; /* all refs of the thread so far are below */
	struct walker_execution executions[BATCH_EXECUTIONS];
	uint16_t firsts[BATCH_EXECUTIONS];    /* an execution's touches begin there */
	uint64_t slots[BATCH_EXECUTIONS + 1]; /* of the executions whose end is not SLO_GOES_ON */
	struct touch_event {
		unsigned before; /* index among the executions */
		struct tf_event event;
	} events[BATCH_EVENTS];
	/* By touch. Those before the first execution are of the last one in the batch before. */
	uint64_t blocks[BATCH_TOUCHES];
	uint32_t distances[BATCH_TOUCHES]; /* these and refs: behind touches_find_distances */
	uint32_t refs[BATCH_TOUCHES];      /* see lru_stack_touch */
	uint32_t offsets[BATCH_TOUCHES]; /* bytes from the block's begin to the first touched one */
	uint16_t insns[BATCH_TOUCHES];   /* index of the instruction in the block of code */
	uint8_t parts[BATCH_TOUCHES];    /* which eighths of the block are touched: a bit each */
};

struct touch_finder {
	const struct slo_code *code;
	unsigned shift;            /* log2 of the bytes of a memory block */
	unsigned limit;            /* touches with which a batch is handed on */
	struct lru_stack **stacks; /* by thread; NULL: it has not begun, or is over */
	struct touch_batch *batch; /* being filled */
	unsigned begun;            /* executions of the batch whose first touch is known */
	void (*hand_on)(void *opaque, struct touch_batch *batch); /* valid until it returns */
	void *opaque;
	struct access_collector collector;
};

/*
 * Initializes a zeroed finder whose code, shift, limit, hand_on and opaque are set.
 * accesses: the reads and writes of the trace's blocks, which outlive the finder. Ends the process
 * if memory is out, as all functions here do.
 */
void touches_init(struct touch_finder *finder, const struct access_code *accesses);
void touches_free(struct touch_finder *finder);

/* Takes an item of blocks with addresses, or an event. */
void touches_feed(struct touch_finder *finder, const struct tf_item *item);
void touches_event(struct touch_finder *finder, const struct tf_event *event);

/* Hands the last batch on. */
void touches_finish(struct touch_finder *finder);

/*
 * Copies a batch without distances for another thread, with or without offsets. It is copied at
 * once, because each store to a line that another processor has in its cache waits for this line.
 */
void touch_batch_copy(struct touch_batch *to, const struct touch_batch *from, bool offsets);

/* Finds the distances of a batch, of batches in the order in which they were handed on. */
void touches_find_distances(struct touch_finder *finder, struct touch_batch *batch);

#endif
