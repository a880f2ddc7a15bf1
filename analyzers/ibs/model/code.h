/* SPDX-License-Identifier: MIT */
/* The static side of a trace: its instructions, and their ops. */
#ifndef IBS_CODE_H
#define IBS_CODE_H

#include "analyzers/ibs/model/insn.h"
#include "traceformat/traceformat.h"

struct ibs_code {
	struct tf_reader *reader;
	enum isa_vendor vendor;		/* of the processor that executed it */
	size_t *first;			/* by block: its instructions; and the total */
	struct ibs_insn {
		uint64_t pc;
		uint8_t length;		/* bytes */
	} *insns;
	uint32_t *blocks;		/* by instruction: its block */
	size_t *first_op;		/* by block: its ops; and the total */
	struct ibs_code_op {
		struct ibs_op_facts facts;
		bool is_odd;		/* its accesses are not its steps, but those of iterators */
		uint8_t n_steps;
		uint32_t first_step;
	} *ops;
	/* Accesses, each to one of the addresses of a block's execution; reads before writes. */
	struct ibs_step {
		uint32_t size;		/* bytes */
		uint16_t value;
		uint8_t kind;		/* enum access_kind */
	} *steps;
	size_t n_ops, n_steps, room_for_ops, room_for_steps;
};

/* Reads a loaded trace. Memory that is out ends the process. */
void ibs_code_init(struct ibs_code *code, struct tf_reader *reader,
		   const struct machine *machine);
void ibs_code_free(struct ibs_code *code);

/* The kinds of accesses (enum access_kind, or-ed) of an operand; a prefetch reads. */
unsigned ibs_operand_kinds(const struct tf_operand *operand);

#endif
