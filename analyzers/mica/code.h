/* SPDX-License-Identifier: MIT */
/* The static side of a trace as MICA's analyses want it. */
#ifndef MICA_CODE_H
#define MICA_CODE_H

#include "analyzers/mica/dependences.h"
#include "analyzers/mica/event.h"

/* What expanding a basic block takes, in few bytes. */
struct mica_block {
	uint32_t first;		/* instruction */
	uint32_t first_access, n_accesses;	/* of plain instructions */
	uint16_t n_plain;	/* instructions, if all are plain; else 0 */
};

struct mica_code {
	const struct tf_reader *reader;
	struct mica_numbers numbers;
	struct mica_block *blocks;	/* by id */
	struct mica_insn *insns;	/* and one behind them, for its first_access */
	struct mica_access *accesses;
};

/* Reads a loaded trace. dependences: enum mica_dependences, or-ed. Memory that is out ends the
 * process. */
void mica_code_init(struct mica_code *code, struct tf_reader *reader, unsigned dependences);
void mica_code_free(struct mica_code *code);

/* Returns the bytes that an access of the operand has to MICA. */
uint32_t mica_operand_size(const struct tf_operand *operand);

#endif
