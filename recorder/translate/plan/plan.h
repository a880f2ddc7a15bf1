/* SPDX-License-Identifier: MIT */
/* A superblock before it is translated: its blocks, its exits, and its records. */
#ifndef PLAN_H
#define PLAN_H

#include "recorder/program/code_block.h"
#include "recorder/translate/plan/numbering.h"
#include "recorder/translate/plan/plan_insn.h"
#include "traceformat/tracewriter.h"

enum {
	PLAN_BLOCKS = 128, /* of a hot path */
	PLAN_INSNS = 512,
	PLAN_COLD_BLOCKS = 32, /* of other superblocks */
	PLAN_COLD_INSNS = 128,
	PLAN_EXITS = PLAN_BLOCKS + 1,
	PLAN_VALUES = NUMBERING_SLOTS,
};

struct plan_exit {
	struct tf_exit trace;
	uint16_t n_insns;  /* executed */
	uint16_t n_places; /* of the record */
	uint64_t target;   /* 0: not known, see the last instruction */
	/* Only in counting variants: */
	bool flags_dead; /* nothing at the target reads the flags */
	bool open;       /* the translation may choose the pending count (pending_count.h) */
	int16_t pending; /* the pending count, if it is not open */
};

/* Segment bases that a superblock's last instruction loads, besides enum isa_control_word. */
enum { PLAN_FS_BASE = 4, PLAN_GS_BASE = 8 };

/* A slot whose recorded number plan_correct() changes into that of the trace. */
struct plan_correction {
	uint16_t slot;
	uint8_t lanes;   /* valid bits of a mask, or 0 */
	uint8_t folded;  /* if not 0: lanes of memory to which isa_fold_mask() folds them */
	uint8_t element; /* if not 0: bytes for each valid bit that is set */
	/* xsave instruction whose area's size replaces the number, or NULL */
	const struct isa_insn *size;
	uint64_t keep; /* if not 0: the valid bits */
};

/*
 * The start of a superblock that extends another one. Both have the first n_insns instructions in
 * common, and the extension starts with the other's scratch registers in the state that they have
 * at the side exit.
 */
struct plan_start {
	bool inside;   /* false: the code begins at the superblock's entry */
	bool indirect; /* the next instruction is an indirect jump */
	/* the jump's target is this plus rcx, or plus TARGET_REGISTER if that is spilled */
	uint64_t guard;
	unsigned n_insns;
	uint8_t q, t;
	uint16_t flags;  /* enum state_flags */
	int16_t counted; /* instructions, as in struct state */
	int8_t rsp;      /* as in struct state */
	int16_t pending; /* if not inside: see pending_count.h */
};

struct plan_options {
	bool no_addresses;
	bool self_check; /* records get what self_check.h needs */
	bool hot;        /* the superblock is a hot path, so long that few records are needed */
	bool entered;    /* indirect jumps enter here, so the prefix stands right before it */
	bool counted;    /* counting variant, without records: see count.c */
	/* offset from the gs base of the thread's counters of exits, which a counting variant
	 * increments; 0: it has none */
	uint32_t exit_counters;
	bool excluded; /* the counting variant has excluded code, which has a counter of its own */
	unsigned marker; /* the counting variant's own counter, see code_block; 0: it has none */
	bool no_pending; /* exits count all that has executed: see pending_count.h */
	bool bounded; /* the counting variant is left as soon as its instructions have executed */
	uint64_t call_stub; /* cache pc of the stub for its last system call; 0: none */
	/* cache pc of the stub where exits ask for translations; 0: exits trap */
	uint64_t request_stub;
	uint32_t function; /* function whose calls are recorded at the entry, or TF_NONE */
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
	unsigned n_insn_slots, n_insn_places; /* of instructions; one more follows for rsp */
	unsigned control_words; /* loaded by the last instruction: as in isa_insn, or PLAN_*_BASE */
	unsigned control_place; /* hidden place of the first control word */
	bool checked;           /* some of its code may change */
	/* bit set of blocks that others may be linked to: only of a counting variant, which has at
	 * most PLAN_COLD_BLOCKS, if the flags are dead there */
	uint32_t enterable;
};

static inline bool plan_is_enterable(const struct plan *plan, unsigned block)
{
	return block < PLAN_COLD_BLOCKS && plan->enterable >> block & 1;
}

/*
 * Returns true if all of the block's instructions can run in translated code. Far transfers,
 * transactions, traps, and undecodable instructions have to be stepped.
 */
bool plan_can_have(const struct code_block *block);

void plan_begin(struct plan *plan, uint64_t pc, const struct plan_options *options);

/* Returns true if there is room for the block. The first block always has room. */
bool plan_fits(const struct plan *plan, const struct code_block *block);

/* Adds a block for which plan_can_have() and plan_fits() are true. */
void plan_add(struct plan *plan, struct code_block *block);

/* Returns where the superblock is predicted to continue, or 0 if it ends. */
uint64_t plan_next(const struct plan *plan);

/* Returns true if a superblock can continue at pc after the block. */
bool plan_leads_to(const struct code_block *block, uint64_t pc);

/* Returns true if the block ends with an indirect jump or call or a return. */
bool plan_ends_indirectly(const struct code_block *block);

/* Continues the superblock at pc. If control can go elsewhere, adds an exit. */
void plan_go_on(struct plan *plan, uint64_t pc);

/* Ends the superblock after its last block. */
void plan_end(struct plan *plan);

/* Changes the numbers of a record into those of the trace. */
void plan_correct(const struct plan_correction *corrections, unsigned n, uint64_t xcr0,
		  uint64_t *slots, unsigned n_slots);

#endif
