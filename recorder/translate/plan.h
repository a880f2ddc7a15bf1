/* SPDX-License-Identifier: MIT */
/*
 * A path before it is translated: which blocks, where control may leave, and what is recorded.
 */
#ifndef PLAN_H
#define PLAN_H

#include "recorder/code_block.h"
#include "recorder/translate/numbering.h"

enum {
	PLAN_BLOCKS = 32,
	PLAN_INSNS = 128,
	PLAN_EXITS = PLAN_BLOCKS + 1,
	PLAN_VALUES = NUMBERING_SLOTS,
};

struct plan_insn {
	const struct isa_insn *fact;
	const uint8_t *code;
	uint64_t pc;
	struct isa_effects effects;
	uint16_t first_capture;	/* its captures before it executes, then those after */
	uint16_t n_before, n_after;
	bool last;		/* of its block */
	bool taken;		/* a conditional branch along which the path goes on */
	uint64_t guard;		/* an indirect jump: the target with which the path goes on */
};

struct plan_exit {
	struct tf_exit trace;
	uint16_t n_insns;	/* executed */
	uint64_t target;	/* 0: not known, see the last instruction */
};

/* A slot that is not yet what the trace has; see plan_correct. */
struct plan_correction {
	uint16_t slot;
	uint8_t lanes;			/* bits of a mask that count, or 0: */
	const struct isa_insn *size;	/* whose xsave area it is to be the size of */
};

struct plan {
	uint64_t pc;
	bool no_addresses;
	uint32_t function;	/* a call of this one is told at its begin, or TF_NONE */
	unsigned n_args;
	unsigned n_blocks;
	struct code_block *blocks[PLAN_BLOCKS];
	unsigned n_insns;
	struct plan_insn insns[PLAN_INSNS + 1];
	unsigned n_exits;
	struct plan_exit exits[PLAN_EXITS];
	unsigned n_values;
	struct tf_recipe recipes[PLAN_VALUES];
	unsigned n_corrections;
	struct plan_correction corrections[PLAN_VALUES];
	struct numbering numbering;
	unsigned n_insn_captures;	/* of instructions; one behind them is rsp's at the end */
};

/*
 * Can all of the block's instructions run in translated code? What cannot is stepped: code that
 * loads control words, segment bases or the direction flag, uses gs, traps, or is not decoded.
 */
bool plan_can_have(const struct code_block *block);

/* function: to be told of when it begins, with n_args arguments, or TF_NONE. */
void plan_begin(struct plan *plan, uint64_t pc, bool no_addresses, uint32_t function,
		unsigned n_args);

/* Is there room for the block? For the first one always. */
bool plan_fits(const struct plan *plan, const struct code_block *block);

/* Adds a block that plan_can_have and that fits. */
void plan_add(struct plan *plan, struct code_block *block);

/* Where the path may be expected to go on, or 0: it ends here. */
uint64_t plan_next(const struct plan *plan);

/* Can the path go on at pc? */
bool plan_can_go_on(const struct plan *plan, uint64_t pc);

/* It goes on there: where control can go elsewhere, that is an exit. */
void plan_go_on(struct plan *plan, uint64_t pc);

/* The path ends behind its last block. */
void plan_end(struct plan *plan);

/* Makes the numbers of a record those of the trace. */
void plan_correct(const struct plan_correction *corrections, unsigned n, uint64_t xcr0,
		  uint64_t *slots, unsigned n_slots);

#endif
