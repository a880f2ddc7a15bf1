/* SPDX-License-Identifier: MIT */
/* The static side of a trace: its instructions, and their ops. */
#ifndef IBS_CODE_H
#define IBS_CODE_H

#include "analyzers/ibs/model/insn.h"
#include "cli/common/checked.h"
#include "traceformat/traceformat.h"

enum { IBS_MAX_ACCESSES = 128 }; /* of an op; more accesses are ignored */

/* An access to one of the addresses of a block's execution. */
struct ibs_step {
	uint32_t size; /* bytes */
	uint16_t value;
	uint8_t kind; /* enum access_kind */
};

/*
 * The common forms of ops, which have few registers and no rare properties, so that nothing else
 * about them need be checked.
 */
enum ibs_form {
	IBS_PLAIN, /* no memory, two sources at most, nothing moved */
	IBS_READ,
	IBS_WRITE, /* one access each, and nothing else */
	IBS_MIXED, /* a read and a write, or none */
	IBS_GENERAL,
};

struct ibs_code_op {
	struct ibs_op_facts facts;
	struct ibs_step read, write; /* unless the form is IBS_GENERAL */
	uint32_t first_step;         /* reads before writes */
	uint8_t n_steps;
	uint8_t form;   /* enum ibs_form */
	bool may_fetch; /* the front end may have to fetch before it; all of IBS_GENERAL */
	bool is_odd;    /* a struct tf_accesses gives its accesses, not its steps */
};

struct ibs_code {
	struct tf_reader *reader;
	enum isa_vendor vendor; /* vendor of the recorded processor */
	struct ibs_code_block {
		size_t first, first_op; /* its first instruction and its first op */
		/* The branch at the end, for those who need no other facts about its op. */
		uint64_t branch, fall_through; /* itself, and the instruction behind */
		uint8_t end;                   /* enum tf_end of its op */
		bool is_odd;                   /* one of its ops is odd */
	} * blocks;                            /* by block; the last element has the totals */
	struct ibs_insn {
		uint64_t pc;
		uint32_t block;
		uint8_t length; /* bytes */
	} * insns;
	ARRAY(struct ibs_code_op) ops;
	ARRAY(struct ibs_step) steps;
};

/* Reads a loaded trace. Ends the process if memory is out. */
void ibs_code_init(struct ibs_code *code, struct tf_reader *reader, const struct machine *machine);
void ibs_code_free(struct ibs_code *code);

/* Returns the kinds of accesses (enum access_kind, or-ed) of an operand; a prefetch reads. */
unsigned ibs_operand_kinds(const struct tf_operand *operand);

#endif
