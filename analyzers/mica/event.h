/* SPDX-License-Identifier: MIT */
/*
 * What MICA's analyses see of a program: executions, as Pin's analysis calls are. An instruction
 * executes once; a rep string instruction once a repetition, and once if its count was 0.
 */
#ifndef MICA_EVENT_H
#define MICA_EVENT_H

#include "traceformat/isa.h"

/* A static instruction. The analyses keep what they know of it in arrays by these numbers. */
struct mica_insn {
	uint32_t index;		/* of the instruction */
	uint32_t place;		/* of its pc: two instructions of one pc have the same */
	uint32_t branch;	/* conditional branches: of its pc among theirs */
	bool has_read, has_write;	/* memory operands, whether or not they touch memory */
	uint8_t length;		/* bytes */
	uint64_t pc;
	struct isa_facts facts;
};

/* How many numbers there are. */
struct mica_numbers {
	uint32_t insns, places, branches;
};

/* An execution. Addresses are virtual; accesses of 0 bytes are possible. */
struct mica_event {
	const struct mica_insn *insn;
	uint64_t read[2], write;	/* addresses, of n_reads and n_writes operands */
	uint32_t read_size;		/* bytes of each of the reads */
	uint32_t write_size;		/* bytes */
	uint8_t n_reads, n_writes;	/* 0 .. 2, 0 .. 1; 0 also if the address is not known */
	bool taken;			/* conditional branches */
	bool counts;	/* an instruction: the first repetition of a rep, of at least one */
};

#endif
