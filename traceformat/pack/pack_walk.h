/* SPDX-License-Identifier: MIT */
/* Walks over the path executions of a chunk whose columns are as recorded (FORMAT.md 5.2, 5.3). */
#ifndef PACK_WALK_H
#define PACK_WALK_H

#include "traceformat/codings/flow.h"
#include "traceformat/codings/slots.h"
#include "traceformat/pack/pack_slots.h"
#include "traceformat/reader/chunk.h"

struct walk {
	const struct tf_reader *reader;
	uint64_t left; /* path executions */
	struct flow_decoder flow;
	struct slot_decoder decoder;
	struct span partials;
	struct packed_record record; /* the execution at hand; */
	uint32_t executed;           /* if it left its path inside: instructions, */
	uint64_t rsp;                /* and rsp behind it */
	bool with_slots;
	int status; /* why the walk ended: 0, TF_E_MEMORY, TF_E_DAMAGED */
	uint64_t slots[TF_MAX_PATH_SLOTS];
};

/*
 * Starts before the first execution of the chunk; with_slots: also decode slots. Returns NULL if
 * memory is out.
 */
struct walk *walk_new(const struct tf_reader *reader, const struct chunk *chunk, bool with_slots);

/*
 * Moves to the next execution. Returns false at the end and on an error, which walk->status then
 * has.
 */
bool walk_next(struct walk *walk);

void walk_free(struct walk *walk);

#endif
