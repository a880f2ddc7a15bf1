/* SPDX-License-Identifier: MIT */
/*
 * A superblock before it is translated: which blocks, where control may leave, and what is recorded.
 */
#ifndef PLAN_H
#define PLAN_H

#include "recorder/program/code_block.h"
#include "recorder/translate/plan/numbering.h"
#include "recorder/translate/plan/plan_insn.h"
#include "traceformat/tracewriter.h"

enum {
	PLAN_BLOCKS = 32,
	PLAN_INSNS = 128,
	PLAN_EXITS = PLAN_BLOCKS + 1,
	PLAN_VALUES = NUMBERING_SLOTS,
};

struct plan_exit {
	struct tf_exit trace;
	uint16_t n_insns;  /* executed */
	uint16_t n_places; /* of the record */
	uint64_t target;   /* 0: not known, see the last instruction */
	/* Only where a superblock is counted: */
	bool flags_dead; /* nothing there reads the flags */
	bool open;       /* the translation may choose its pending count (pending_count.h), */
	int16_t pending; /* which are these otherwise */
};

/* What a superblock's last instruction loads, beside enum isa_control_word: the program's segment bases. */
enum { PLAN_FS_BASE = 4, PLAN_GS_BASE = 8 };

/* A slot that is not yet what the trace has; see plan_correct. */
struct plan_correction {
	uint16_t slot;
	uint8_t lanes;               /* bits of a mask that count, or 0: */
	uint8_t element;             /* if not 0: bytes for each of these bits that is set */
	const struct isa_insn *size; /* whose xsave area it is to be the size of */
	uint64_t keep;               /* if not 0: the bits that count */
};

/*
 * Code for a superblock that begins where another one has been left: behind so many instructions, which
 * both have, with the other's scratch registers in the state that it has there.
 */
struct plan_start {
	bool inside;    /* false: it begins where the superblock does */
	bool indirect;  /* the next instruction is an indirect jump, its target */
	uint64_t guard; /* this and rcx, or TARGET_REGISTER if that is saved */
	unsigned n_insns;
	uint8_t q, t;
	uint16_t flags;  /* enum state_flags */
	int16_t counted; /* instructions, as in struct state, */
	int8_t rsp;      /* likewise */
	int16_t pending; /* if not inside: see pending_count.h */
};

struct plan_options {
	bool no_addresses;
	bool self_check; /* records get what self_check.h needs */
	bool entered; /* indirect jumps lead here: what compares their target is right before it */
	bool counted; /* no records: its instructions are only counted, see count.c */
	bool bounded; /* and it is left as soon as they are */
	uint64_t call_stub;    /* cache pc where its last system call is made; 0: nowhere */
	uint64_t request_stub; /* and where its exits ask for translations; 0: they trap */
	uint32_t function;     /* a call of this one is told at its begin, or TF_NONE */
	unsigned n_args;
};

struct plan {
	uint64_t pc;
	struct plan_start start;
	struct plan_options options;
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
	unsigned n_insn_slots, n_insn_places; /* of instructions; one behind them is rsp's */
	unsigned control_words; /* which the superblock's last instruction loads, as in isa_insn, or
				   PLAN_*_BASE; their */
	unsigned control_place; /* values are in hidden places */
	bool checked;           /* some of its code may change */
	uint32_t
		enterable; /* blocks that other superblocks may lead to, a bit each: where the superblock is
				   only counted, and nothing there reads the flags */
	bool calls_directly; /* it makes the system call with which it ends, see direct_call.h */
};

/*
 * Can all of the block's instructions run in translated code? What cannot is stepped: far transfers,
 * transactions, traps, and what is not decoded.
 */
bool plan_can_have(const struct code_block *block);

void plan_begin(struct plan *plan, uint64_t pc, const struct plan_options *options);

/* Is there room for the block? For the first one always. */
bool plan_fits(const struct plan *plan, const struct code_block *block);

/* Adds a block that plan_can_have and that fits. */
void plan_add(struct plan *plan, struct code_block *block);

/* Where the superblock may be expected to go on, or 0: it ends here. */
uint64_t plan_next(const struct plan *plan);

/* Can a superblock go on at pc behind the block? */
bool plan_leads_to(const struct code_block *block, uint64_t pc);

/* True if it ends with an indirect jump or call or a return. */
bool plan_ends_indirectly(const struct code_block *block);

/* It goes on there: where control can go elsewhere, that is an exit. */
void plan_go_on(struct plan *plan, uint64_t pc);

/* The superblock ends behind its last block. */
void plan_end(struct plan *plan);

/* Makes the numbers of a record those of the trace. */
void plan_correct(const struct plan_correction *corrections, unsigned n, uint64_t xcr0,
		  uint64_t *slots, unsigned n_slots);

#endif
