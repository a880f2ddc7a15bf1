/* SPDX-License-Identifier: MIT */
/*
 * A thread's stream while it is written: the open chunk's columns, and the state that a reader will
 * have.
 */
#ifndef STREAM_H
#define STREAM_H

#include "traceformat/codings/flow.h"
#include "traceformat/codings/slot_sources.h"
#include "traceformat/writer/writer.h"

/*
 * An exit as records.c needs it, and its executions in the chunk that are not yet in the totals. It
 * takes half a cache line, since there are many exits.
 */
struct tally {
	uint64_t executions;
	int32_t rsp_value;
	uint32_t slot_base;
	uint16_t n_insns, n_slots, path_slots;
	uint16_t rsp_slot;
	uint8_t rsp_rule;
	bool uses_rsp; /* its path uses rsp */
	bool plain;    /* it needs only counting, flow and slots */
	bool dynamic;  /* its counts depend on its slots */
	bool made;     /* the stream has met it, */
	bool listed;   /* and the chunk, which has it in stream.listed */
};
_Static_assert(sizeof(struct tally) == 32, "two in a cache line");

enum { TALLY_GROUP = 128 }; /* a page: there is room for so many at a time */

struct tf_stream {
	struct tf_writer *writer;
	uint32_t thread;
	uint64_t ordinal;                  /* of the next instruction */
	uint64_t chunk_first;              /* of the chunk's first instruction */
	uint64_t last_event;               /* ordinal of the last event, or chunk_first */
	uint64_t n_chunks;                 /* before this one */
	uint32_t exits_needed;             /* 1 + the greatest exit id in the chunk */
	struct recipe_registers registers; /* at the next execution */
	struct recipe_registers chunk_registers;
	uint64_t next_base[3]; /* segment bases after the next execution */
	bool rsp_known;
	bool restated;           /* a reader of the chunk cannot know the registers */
	struct tf_totals totals; /* of the chunk */
	struct flow_encoder flow;
	struct slot_encoder slots;
	struct slot_study *study;    /* NULL until there are records to study */
	struct slot_sources sources; /* of the chunk; the study's */
	struct buffer partials, events, slot_sources;
	uint64_t partial_end; /* ordinal after the last partial execution */
	size_t partial_rsp;   /* offset of that execution's rsp in partials, bytes */
	struct buffer head;
	struct tally *tallies;      /* page_arrays, by exit: threads have few in common */
	uint32_t n_tallies;         /* a multiple of TALLY_GROUP */
	uint32_t *listed, n_listed; /* exits executed in the chunk: room for n_tallies */
};

/*
 * Repetitions at which a chunk ends, so that one more execution with as many stays within the
 * format's limit.
 */
#define ENOUGH_REPETITIONS (MAX_CHUNK_REPETITIONS / 2)

/* Returns true once the chunk has to end. */
bool stream_chunk_full(const struct tf_stream *stream);

/* Begins a new chunk if registers have been stated that a reader of this one cannot know. */
int stream_restate(struct tf_stream *stream, struct tf_error *error);

/* Frees a stream that is closed. NULL is allowed. */
void writer_stream_free(struct tf_stream *stream);

/* ---- tallies.c ---- */

/*
 * Makes room for the tallies of all present exits, and for their slot states. Returns false if
 * memory is out.
 */
bool stream_extend_tallies(struct tf_stream *stream);

/* Makes the tally of an exit, for which there must be room. */
void stream_make_tally(struct tf_stream *stream, uint32_t exit);

/* Adds an exit to those that the chunk has executed. There must be room for its tally. */
static inline void stream_list_exit(struct tf_stream *s, uint32_t exit)
{
	struct tally *t = &s->tallies[exit];

	if (t->listed)
		return;
	t->listed = true;
	s->listed[s->n_listed++] = exit;
}

/* Adds the tallies to the chunk's totals. */
void stream_count_tallies(struct tf_stream *stream);

/*
 * Empties the list of the chunk's exits, and zeroes the states of the slots that they use. Returns
 * false if memory is out.
 */
bool stream_forget_exits(struct tf_stream *stream);

void stream_free_tallies(struct tf_stream *stream);

#endif
