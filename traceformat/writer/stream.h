/* SPDX-License-Identifier: MIT */
/* A thread's stream while it is written: the open chunk's columns, and what a reader will know. */
#ifndef STREAM_H
#define STREAM_H

#include "traceformat/codings/flow.h"
#include "traceformat/codings/slot_sources.h"
#include "traceformat/writer/writer.h"

/*
 * An exit as records.c needs it, and how often the chunk has it beyond what its totals say: half a
 * cache line, as there are many.
 */
struct tally {
	uint64_t executions;
	int32_t rsp_value;
	uint32_t slot_base;
	uint16_t n_insns, n_slots, path_slots;
	uint16_t rsp_slot;
	uint8_t rsp_rule;
	bool uses_rsp; /* its path does */
	bool plain;    /* nothing but counting, flow and slots is to be done for it */
	bool dynamic;  /* what it counts depends on its slots */
	bool made;     /* the stream has met it */
};
_Static_assert(sizeof(struct tally) == 32, "two in a cache line");

enum { TALLY_GROUP = 128 }; /* a page */

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
	uint64_t next_base[3]; /* segment bases behind the next execution */
	bool rsp_known;
	bool restated;           /* a reader of the chunk cannot know the registers */
	struct tf_totals totals; /* of the chunk */
	struct flow_encoder flow;
	struct slot_encoder slots;
	struct slot_study *study;    /* NULL until there are records to study */
	struct slot_sources sources; /* of the chunk; the study's */
	struct buffer partials, events, slot_sources;
	uint64_t partial_end; /* the ordinal behind the last partial execution, */
	size_t partial_rsp;   /* and where its rsp stands in partials */
	struct buffer head;
	struct tally *tallies; /* zero_pages, by exit: threads have few in common */
	bool *tally_groups;    /* which TALLY_GROUP of them have some that are made */
	uint32_t n_tallies;    /* a multiple of TALLY_GROUP */
};

/* A chunk ends here, so that one more execution of this many cannot go beyond the
 * format's limit. */
#define ENOUGH_REPETITIONS (MAX_CHUNK_REPETITIONS / 2)

/* True once the chunk is to end. */
bool stream_chunk_full(const struct tf_stream *stream);

/* Begins a new chunk if registers have been stated that a reader of this one cannot know. */
int stream_restate(struct tf_stream *stream, struct tf_error *error);

/* Tallies, tallies.c: makes room for those of all exits that there are, and for their slot states;
 * makes that of an exit, for which there is room. */
bool stream_extend_tallies(struct tf_stream *stream);
void stream_make_tally(struct tf_stream *stream, uint32_t exit);

/* Puts what has been tallied into the chunk's totals. */
void stream_count_tallies(struct tf_stream *stream);

void stream_free_tallies(struct tf_stream *stream);

#endif
