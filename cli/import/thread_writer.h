/* SPDX-License-Identifier: MIT */
/*
 * Writes the instructions of one thread, which come one after the other, as executions of blocks.
 * Errors are kept in the code table, and nothing is written after them.
 */
#ifndef THREAD_WRITER_H
#define THREAD_WRITER_H

#include "cli/import/code_table.h"
#include "cli/import/thread_order.h"

/* An event before instruction `ahead` of the present run. */
struct thread_event {
	struct tf_event event;
	uint32_t ahead;
};

struct thread_writer {
	struct code_table *code;
	struct thread_order *order;
	struct tf_stream *stream;
	uint32_t thread;
	uint64_t ordinal; /* of the run's first instruction */
	/* The present run: instructions that follow each other, and their values. */
	unsigned n_insns, n_addresses, n_extras;
	uint64_t next_pc; /* behind the last one */
	uint32_t insns[CODE_BLOCK_INSNS];
	uint64_t addresses[CODE_BLOCK_VALUES], extras[CODE_BLOCK_VALUES];
	ARRAY(struct thread_event) events;
	uint64_t n_events;       /* that were written before these */
	ARRAY(uint64_t) records; /* executions that are not written yet */
};

/* Opens the stream of a thread of the trace. Returns NULL after an error. */
struct thread_writer *thread_writer_open(struct code_table *code, struct thread_order *order,
					 uint32_t thread);

/*
 * Appends an instruction, which the caller ends by thread_branch() if it ends a block. values: its
 * addresses, then its extras; only those extras that have slots, and no addresses, if the trace has
 * no addresses.
 */
void thread_insn(struct thread_writer *t, uint32_t insn, const uint64_t *values,
		 unsigned n_addresses, unsigned n_extras);

/* Ends the run with its last instruction, whose outcome is known. */
void thread_branch(struct thread_writer *t, bool taken);

/* Ends the run anywhere: control is not known to have gone on behind it. */
void thread_cut(struct thread_writer *t);

/*
 * Appends an event before the next instruction. It does not end the run. Returns the number of the
 * event, from 1.
 */
uint64_t thread_event(struct thread_writer *t, const struct tf_event *event);

/* Returns an event by its number, or NULL if it has been written. Valid until the next call. */
struct tf_event *thread_waiting(struct thread_writer *t, uint64_t number);

/* Writes the events behind a run that was ended. */
void thread_flush(struct thread_writer *t);

/* Notes when the present run, or the next one if there is none, was executed. */
void thread_time(struct thread_writer *t, uint64_t time);

/* Returns the number of instructions so far. */
static inline uint64_t thread_instructions(const struct thread_writer *t)
{
	return t->ordinal + t->n_insns;
}

/* Ends the stream and frees the writer; NULL is allowed. */
void thread_writer_close(struct thread_writer *t);

#endif
