/* SPDX-License-Identifier: MIT */
/* The static side of a trace in the form that MICA's analyses need. */
#ifndef MICA_CODE_H
#define MICA_CODE_H

#include "analyzers/mica/superblock.h"

/* Facts that MICA lacks but a user may want: more dependences, newer instructions. */
enum mica_dependences {
	MICA_FOLDED = 1,     /* parts of a register are the register: al, ax, eax are rax */
	MICA_WITH_FLAGS = 2, /* the flags are a register, MICA_FLAGS */
	MICA_WITH_CET = 4,   /* endbr64 and rdssp are CET's, as to XED since Pin 3.11; without,
				   they are the no-operations that they were before */
};

struct mica_code {
	const struct tf_reader *reader;
	struct mica_numbers numbers;
	struct mica_insn *insns;
	size_t *first; /* by block id: its first instruction */
	/* By exit id; a superblock without segments has only a number and n_values. */
	struct mica_superblock *superblocks;
	struct mica_segment *segments;
	struct mica_access *accesses;
};

/*
 * Reads a loaded trace. dependences: enum mica_dependences, or-ed. Ends the process if memory is
 * out.
 */
void mica_code_init(struct mica_code *code, struct tf_reader *reader, unsigned dependences);
void mica_code_free(struct mica_code *code);

/* Fills in superblocks, segments and accesses, after the instructions. For mica_code_init. */
void mica_code_read_superblocks(struct mica_code *code);

/* Returns the size, bytes, that MICA sees for an access of the operand. */
uint32_t mica_operand_size(const struct tf_operand *operand);

#endif
