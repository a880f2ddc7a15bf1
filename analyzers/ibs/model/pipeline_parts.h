/* SPDX-License-Identifier: MIT */
/*
 * The stages of the pipeline. pipeline.c executes ops one by one with them, and run.c many at once.
 */
#ifndef IBS_PIPELINE_PARTS_H
#define IBS_PIPELINE_PARTS_H

#include "analyzers/ibs/model/pipeline.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns the cycle in which there is room for one more entry. */
static inline uint64_t queue_room(const struct ibs_queue *queue)
{
	return queue->free_at[queue->next];
}

static inline void queue_add(struct ibs_queue *queue, uint64_t free_at)
{
	uint32_t next = queue->next + 1;

	queue->free_at[queue->next] = free_at;
	queue->next = next == queue->size ? 0 : next;
}

/* Returns the cycle in which one more op passes. */
static inline uint64_t pass(struct ibs_passage *passage, uint64_t earliest)
{
	uint64_t cycle = later(earliest, passage->cycle + (passage->count == passage->width));

	passage->count = cycle == passage->cycle ? passage->count + 1 : 1;
	return passage->cycle = cycle;
}

/* Returns the cycle in which an op has room in the queues of its kinds of accesses. */
static inline uint64_t memory_room(const struct pipeline *p, unsigned kinds)
{
	uint64_t load = queue_room(&p->loads), store = queue_room(&p->stores);

	return later(kinds & ACCESS_READ ? load : 0, kinds & ACCESS_WRITE ? store : 0);
}

/* Makes fetched ops available to dispatch. */
static inline void decode(struct ibs_passage *dispatch, uint64_t decoded)
{
	if (dispatch->cycle >= decoded)
		return;
	dispatch->cycle = decoded;
	dispatch->count = 0;
}

/* Dispatches an op. earliest: the first cycle in which its queues have room. */
static inline uint64_t dispatch(struct ibs_order *order, uint64_t earliest)
{
	return pass(&order->dispatch, later(earliest, queue_room(&order->rob)));
}

/* Returns the cycle in which the first n sources of an op are ready, so that it can be issued. */
static inline uint64_t issue(const struct pipeline *p, const struct ibs_op_facts *op, unsigned n,
			     uint64_t dispatched)
{
	uint64_t cycle = dispatched + 1;

#pragma GCC unroll 4 /* IBS_LEAST_SOURCES */
	for (unsigned i = 0; i < n; i++)
		cycle = later(cycle, p->registers[op->sources[i]]);
	return cycle;
}

static inline uint64_t retire(struct ibs_order *order, uint64_t completed)
{
	uint64_t retired = pass(&order->retirement, completed + 1);

	queue_add(&order->rob, retired + 1);
	return retired;
}

/* Makes the first results of an op available. */
static inline void write_results(struct pipeline *p, const struct ibs_op_facts *op,
				 uint64_t completed)
{
	p->registers[op->results[0]] = completed;
	p->registers[op->results[1]] = completed;
}

static inline void write_moved(struct pipeline *p, const struct ibs_op_facts *op,
			       uint64_t dispatched, uint64_t issued)
{
	p->registers[op->moved] = op->is_stack ? dispatched : issued + p->machine->integer;
}

/* Lets the front end go on behind a branch that was completed in a cycle. */
static inline void pipeline_branch(struct pipeline *p, const struct ibs_op_facts *op, bool taken,
				   bool mispredicted, uint64_t completed)
{
	if (mispredicted)
		frontend_restart(&p->frontend, completed + p->machine->restart);
	else if (taken || op->end != TF_END_CONDITIONAL)
		frontend_jump(&p->frontend, op->pc);
}

#endif
