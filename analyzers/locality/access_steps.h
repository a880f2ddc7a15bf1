/* SPDX-License-Identifier: MIT */
/*
 * The accesses of a trace's blocks, as far as they are static: which instruction makes them, of how
 * many bytes, and which of an execution's values are their addresses. An instruction is fetched,
 * then reads its operands, then writes them; a read-modify-write is both.
 */
#ifndef LOCALITY_ACCESS_STEPS_H
#define LOCALITY_ACCESS_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "traceformat/traceformat.h"

enum access_kind { ACCESS_READ = 1, ACCESS_WRITE = 2, ACCESS_FETCH = 4 };

/* A step of a block. */
struct access_step {
	uint64_t pc;    /* of the instruction; fetches: of the first one */
	uint32_t size;  /* bytes */
	uint16_t insn;  /* of the block */
	uint16_t value; /* reads, writes: the address, among an execution's values */
	uint16_t count; /* fetches: instructions; else 1 */
	uint8_t kind;   /* enum access_kind; 0: all reads and writes of an instruction that makes a
			   number of them which only the values give, see access_step_each() */
};

struct access_code {
	const struct tf_reader *reader;
	size_t *first; /* by block: its steps; and the total */
	struct access_step *steps;
};

/*
 * Reads a loaded trace. kinds: the wanted kinds, enum access_kind, or-ed. line: bytes of lines, of
 * which instructions that follow each other in one make one fetch; 0: each instruction is one. Ends
 * the process if memory is out.
 */
void access_code_init(struct access_code *code, const struct tf_reader *reader, unsigned kinds,
		      uint32_t line);
void access_code_free(struct access_code *code);

/*
 * Calls `emit` for each read and write of an instruction whose step has kind 0. Those of its
 * operands take turns, as for rep movs. values: of the execution.
 */
void access_step_each(const struct tf_block *block, unsigned insn, const uint64_t *values,
		      void (*emit)(void *opaque, uint64_t address, uint32_t size,
				   enum access_kind kind),
		      void *opaque);

#endif
