/* SPDX-License-Identifier: MIT */
/*
 * Reads a thread's stream for a program that writes it again: chunk after chunk, with the events
 * and path executions as they are recorded, slots included.
 *
 *	struct stream_source source = { .r = reader, .thread = thread };
 *	int step;
 *
 *	while ((step = stream_source_next(&source, error)) > STREAM_END)
 *		...
 *	stream_source_free(&source);
 */
#ifndef STREAM_SOURCE_H
#define STREAM_SOURCE_H

#include "traceformat/rewrite/stream_parts.h"

enum stream_step {
	STREAM_END = 0,
	STREAM_CHUNK,     /* a chunk begins: see missing and registers */
	STREAM_EVENT,     /* see events.event and ahead */
	STREAM_EXECUTION, /* see execution; it comes after the events inside it */
};

struct stream_source {
	struct tf_reader *r; /* with its dictionary loaded; set by the caller */
	uint32_t thread;     /* set by the caller */

	uint64_t missing;                  /* instructions that the trace lacks before the chunk */
	struct recipe_registers registers; /* at the execution at hand, or at the chunk's start */
	bool rsp_known;                    /* registers.rsp is right */
	struct event_queue events;         /* its event is the one at hand */
	uint64_t ahead; /* instructions from the next execution's first to the event */
	struct execution execution;

	uint64_t ordinal; /* of the next execution */
	size_t next_chunk;
	bool open;          /* a chunk is being read */
	bool has_execution; /* execution is the next one, or was handed out last: */
	bool passed;
	bool taken; /* the event was handed out */
	uint64_t next_base[3];
	struct chunk chunk;
	struct walk *walk;
};

/* Returns the next step, or a negative status. Errors: IO, MEMORY, VERSION, DAMAGED. */
int stream_source_next(struct stream_source *source, struct tf_error *error);

void stream_source_free(struct stream_source *source);

#endif
