/* SPDX-License-Identifier: MIT */
/* The static side of a trace as MICA's analyses want it, and its executions one by one. */
#ifndef MICA_CODE_H
#define MICA_CODE_H

#include "analyzers/mica/dependences.h"
#include "analyzers/mica/event.h"

enum { MICA_NO_OPERAND = -1 };

/* A static instruction, and where its executions' accesses are. */
struct mica_step {
	struct mica_insn insn;
	bool plain;		/* an execution each, whose operands have a fixed extent */
	int16_t read[2], write;	/* operands of the block, or MICA_NO_OPERAND */
	uint32_t read_size, write_size;	/* bytes, if plain */
};

struct mica_code {
	const struct tf_reader *reader;
	struct mica_numbers numbers;
	size_t *first;		/* by block: its steps; and the total */
	struct mica_step *steps;
};

/* Reads a loaded trace. dependences: enum mica_dependences, or-ed. Memory that is out ends the
 * process. */
void mica_code_init(struct mica_code *code, struct tf_reader *reader, unsigned dependences);
void mica_code_free(struct mica_code *code);

/* Collects events and hands them on in batches. */
struct mica_expander {
	const struct mica_code *code;
	void (*consume)(void *opaque, const struct mica_event *events, size_t count);
	void *opaque;
	size_t count;
	struct mica_event events[256];
};

/*
 * Hands on the executions of an item of blocks, or of paths with TF_REPETITIONS. Without addresses
 * events have no accesses, and without repetitions a rep instruction has one execution.
 */
void mica_expand(struct mica_expander *expander, const struct tf_item *item);

#endif
