/* SPDX-License-Identifier: MIT */
/*
 * The view that MICA's analyses have of a program: executions, one for each of Pin's analysis
 * calls. An instruction executes once; a rep string instruction once a repetition, and once if its
 * count was 0.
 */
#ifndef MICA_EVENT_H
#define MICA_EVENT_H

#include "traceformat/traceisa.h"

enum { MICA_NO_OPERAND = -1, MICA_WRITE = 2 };
#define MICA_NO_BRANCH UINT32_MAX

/*
 * A static instruction. The analyses keep their data about it in arrays indexed by these numbers.
 */
struct mica_insn {
	uint32_t index;           /* of the instruction; those of a basic block follow each other */
	uint32_t place;           /* of its pc: two instructions of one pc have the same */
	uint32_t branch;          /* conditional branches: of its pc among theirs */
	bool has_read, has_write; /* memory operands, whether or not they touch memory */
	bool plain;               /* an instruction executes once, with accesses of a fixed size */
	uint8_t length;           /* bytes */
	uint64_t pc;
	int16_t read[2], write; /* where an execution's values have addresses, or MICA_NO_OPERAND */
	uint32_t read_size, write_size; /* bytes, if plain */
	struct isa_facts facts;
};

/* The number of indices of each kind. */
struct mica_numbers {
	uint32_t insns, places, branches, superblocks;
};

/* An execution. Addresses are virtual; accesses of 0 bytes are possible. */
struct mica_event {
	const struct mica_insn *insn;
	uint64_t space;            /* a number for its process, to be added to its
				   addresses */
	uint64_t read[2], write;   /* addresses, of n_reads and n_writes operands */
	uint32_t read_size;        /* bytes of each of the reads */
	uint32_t write_size;       /* bytes */
	uint8_t n_reads, n_writes; /* 0 .. 2, 0 .. 1; 0 also if the address is not known */
	bool taken;                /* conditional branches */
	bool counts; /* an instruction: the first repetition of a rep, of at least one */
};

/* Fills *event with an execution of a plain instruction that is not taken. values: the block's, or
 * NULL. */
static inline void mica_plain_event(struct mica_event *event, const struct mica_insn *insn,
				    const uint64_t *values, uint64_t space)
{
	event->insn = insn;
	event->space = space;
	event->counts = true;
	event->taken = false;
	event->n_reads = event->n_writes = 0;
	if (!values)
		return;
	if (insn->read[0] != MICA_NO_OPERAND) {
		event->read[0] = values[insn->read[0]] + space;
		event->read_size = insn->read_size;
		event->n_reads = 1;
	}
	if (insn->read[1] != MICA_NO_OPERAND) {
		event->read[1] = values[insn->read[1]] + space;
		event->n_reads = 2;
	}
	if (insn->write != MICA_NO_OPERAND) {
		event->write = values[insn->write] + space;
		event->write_size = insn->write_size;
		event->n_writes = 1;
	}
}

#endif
