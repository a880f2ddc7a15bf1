/* SPDX-License-Identifier: MIT */
/*
 * The parts of a thread's stream for the programs that write it again: the events of a chunk, one
 * after the other, and path executions with their slots.
 */
#ifndef STREAM_PARTS_H
#define STREAM_PARTS_H

#include "traceformat/pack/pack_walk.h"
#include "traceformat/reader/reader.h"

/* The events of a chunk. */
struct event_queue {
	struct span column;
	uint64_t last;         /* ordinal of the last one decoded */
	bool has;              /* event is the next one */
	struct tf_event event; /* with its ordinal */
	struct buffer text;
};

/* Begins with the first event of a chunk, whose section is `section`. Errors: MEMORY, DAMAGED. */
int event_queue_begin(struct event_queue *queue, struct tf_reader *r, const struct section *section,
		      const struct chunk *chunk, struct tf_error *error);

/* Decodes the next event. Errors: MEMORY, DAMAGED. */
int event_queue_next(struct event_queue *queue, struct tf_reader *r, const struct section *section,
		     struct tf_error *error);

/* A path execution. */
struct execution {
	const struct exit_entry *exit;
	uint32_t id; /* of the exit */
	const uint64_t *slots;
	uint32_t n_slots;
	uint64_t first, end; /* ordinals */
	uint64_t rsp;        /* after it, if it left its path inside */
};

static inline bool left_inside(const struct execution *e)
{
	return e->exit->outcome == TF_PARTIAL;
}

/*
 * Makes *execution of the record that the walk has come to; it begins at an ordinal, with these
 * registers. Errors: DAMAGED, if an operand is too large.
 */
int execution_read(struct execution *execution, struct tf_reader *r, const struct section *section,
		   const struct walk *walk, uint64_t ordinal,
		   const struct recipe_registers *registers, struct tf_error *error);

/* Returns the status of a walk that has ended, 0 if that is the end of the chunk. */
int execution_end(struct tf_reader *r, const struct section *section, const struct walk *walk,
		  struct tf_error *error);

/*
 * Applies the effect of an execution on the stack pointer. *known: registers->rsp is right, as far
 * as the trace tells.
 */
void execution_pass(const struct execution *execution, struct recipe_registers *registers,
		    bool *known);

#endif
