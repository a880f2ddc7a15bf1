/* SPDX-License-Identifier: MIT */
/*
 * The instructions of one thread, one after the other, each with its successor: the form in which
 * other tools' formats have a trace.
 */
#ifndef LINEAR_H
#define LINEAR_H

#include <string.h>

#include "traceformat/traceisa.h"

struct linear_insn {
	const struct tf_block *block;
	const struct tf_insn *insn;
	const uint64_t *values; /* of the block; NULL without addresses */
	const uint8_t *code;
	uint64_t ordinal; /* of the thread */
	uint64_t pc;
	uint64_t next;  /* where it led: the pc of the next instruction, or the place that a signal
			  interrupted; 0 if that is not in the trace */
	uint16_t index; /* of the block */
	uint8_t end;    /* enum tf_end; TF_END_NONE inside of a block */
	bool taken;     /* control left by the branch; always, for those without a condition */
	bool broken; /* the thread went on elsewhere: after a signal, a gap, a lost part, or exec */
};

struct linear_options {
	uint32_t thread;
	uint64_t first, count; /* instructions of the thread */
	uint32_t region;       /* only inside this region, or TF_NONE */
	bool addresses;
};

struct linear_visitor {
	/* Takes the next instruction. Returns false to end the visit. */
	bool (*insn)(void *opaque, const struct linear_insn *insn);
	/*
	 * Takes all instructions of a block but the last one, which insn takes. values as in struct
	 * linear_insn; ordinal: of the first one. Returns false if insn is to take them. NULL:
	 * insn takes all.
	 */
	bool (*block)(void *opaque, const struct tf_block *block, const uint64_t *values,
		      uint64_t ordinal);
	/*
	 * Takes an event after the instruction before it and before the one behind it. payload and
	 * exec.path are not set. NULL: events are not wanted.
	 */
	void (*event)(void *opaque, const struct tf_event *event);
	void *opaque;
};

/*
 * Calls the visitor for each instruction and event. Damaged chunks are reported, and left out.
 * Returns an exit code, or a negative status with *error if the trace cannot be read.
 */
int linear_run(struct tf_reader *reader, const struct linear_options *options,
	       const struct linear_visitor *visitor, struct tf_error *error);

/* Returns true for xbegin, the beginning of a transaction, if the instruction is conditional. */
static inline bool linear_is_xbegin(const struct linear_insn *insn)
{
	enum { DISPLACEMENT = 4 };
	const uint8_t *opcode;

	if (insn->block->kinds)
		return !strcmp(insn->block->kinds[insn->index]->iclass, "XBEGIN");
	if (insn->insn->length < DISPLACEMENT + 2)
		return false;
	opcode = insn->code + insn->insn->length - DISPLACEMENT - 2;
	return opcode[0] == 0xc7 && opcode[1] == 0xf8;
}

/* Returns true for a jump, call or return. The beginning of a transaction, xbegin, is none. */
static inline bool linear_is_branch(const struct linear_insn *insn)
{
	return insn->end >= TF_END_CONDITIONAL && insn->end <= TF_END_RETURN &&
	       !(insn->end == TF_END_CONDITIONAL && linear_is_xbegin(insn));
}

/*
 * Returns the target of a branch: for a conditional one also if it is not taken; 0 if it is not
 * known.
 */
static inline uint64_t linear_target(const struct linear_insn *branch)
{
	return branch->block->target ? branch->block->target : branch->next;
}

/* ---- accesses ---- */

struct linear_access {
	uint64_t address;
	uint32_t size;       /* bytes; of one repetition or lane */
	uint8_t access;      /* enum tf_access */
	uint8_t form;        /* enum tf_form */
	uint64_t repetition; /* of a rep string instruction, from 0 */
};

struct linear_accesses {
	struct linear_access now; /* the current one */
	const struct linear_insn *insn;
	struct tf_accesses lanes;
	unsigned operand; /* of the instruction, from 0 */
	uint64_t repetitions;
	bool inside; /* of an operand with several accesses */
};

/*
 * Iterates over the accesses of an instruction with values, in the order of its operands. A rep
 * string instruction makes those of its first repetition, then those of the second.
 */
static inline void linear_accesses_begin(struct linear_accesses *it, const struct linear_insn *insn)
{
	/* The iteration sets the other members: clearing them takes long. */
	it->insn = insn;
	it->operand = 0;
	it->repetitions = it->now.repetition = 0;
	it->inside = false;
	if (insn->insn->n_operands && (insn->insn->flags & TF_INSN_REP))
		it->repetitions =
			insn->values[insn->block->operands[insn->insn->first_operand].extra + 1];
}

/* Moves to an access of an operand of any form. */
bool linear_accesses_search(struct linear_accesses *it);

/* Moves to the next access, at first to the first one. Returns false if there is none. */
static inline bool linear_accesses_next(struct linear_accesses *it)
{
	const struct tf_insn *insn = it->insn->insn;
	unsigned i = insn->first_operand + it->operand;
	const struct tf_operand *operand;

	if (it->inside || insn->flags & TF_INSN_REP)
		return linear_accesses_search(it);
	if (it->operand == insn->n_operands)
		return false;
	operand = &it->insn->block->operands[i];
	if (operand->form != TF_PLAIN)
		return linear_accesses_search(it);
	it->now.address = it->insn->values[i];
	it->now.size = operand->size;
	it->now.access = operand->access;
	it->now.form = TF_PLAIN;
	it->operand++;
	return true;
}

#endif
