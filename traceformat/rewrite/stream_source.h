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

#include "traceformat/pack/pack_walk.h"
#include "traceformat/reader/reader.h"

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

enum stream_step {
	STREAM_END = 0,
	STREAM_CHUNK,     /* a chunk begins: see missing and registers */
	STREAM_EVENT,     /* see event and ahead */
	STREAM_EXECUTION, /* see execution; it comes after the events inside it */
};

struct stream_source {
	struct tf_reader *r; /* with its dictionary loaded; set by the caller */
	uint32_t thread;     /* set by the caller */

	uint64_t missing;                  /* instructions that the trace lacks before the chunk */
	struct recipe_registers registers; /* at the execution at hand, or at the chunk's start */
	bool rsp_known;                    /* registers.rsp is right */
	struct tf_event event;             /* with its ordinal */
	uint64_t ahead; /* instructions from the next execution's first to the event */
	struct execution execution;

	uint64_t ordinal; /* of the next execution */
	size_t next_chunk;
	bool open;          /* a chunk is being read */
	bool has_execution; /* execution is the next one, or was handed out last: */
	bool passed;
	bool has_event;      /* event is the next one, */
	bool taken;          /* or was handed out last */
	uint64_t last_event; /* ordinal of the last one decoded */
	uint64_t next_base[3];
	struct chunk chunk;
	struct walk *walk;
	struct span column;
	struct buffer text;
};

/* Returns the next step, or a negative status. Errors: IO, MEMORY, VERSION, DAMAGED. */
int stream_source_next(struct stream_source *source, struct tf_error *error);

void stream_source_free(struct stream_source *source);

#endif
