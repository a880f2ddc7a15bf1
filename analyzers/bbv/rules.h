/* SPDX-License-Identifier: MIT */
/* The rules by which the instructions of a trace's basic blocks count in basic block vectors. */
#ifndef BBV_RULES_H
#define BBV_RULES_H

#include "traceformat/traceformat.h"

/*
 * How blocks end and instructions count.
 *
 * BBV_EXP_BBV: as Valgrind's exp-bbv does, with all that is odd about it; see bbv.h.
 *
 * BBV_DYNAMIC: a block begins where control arrives and goes on up to and including the first
 * control transfer, system call or trap, however long it is. Each retired instruction counts 1
 * to its own block, a rep string instruction too.
 *
 * BBV_CFG: the same, but a block also ends before the target of any branch and where any other
 * block begins, so that no two blocks overlap.
 */
enum bbv_rules { BBV_EXP_BBV, BBV_DYNAMIC, BBV_CFG };

enum bbv_kind {
	BBV_ENDS, /* ends its block though control just goes on */
	BBV_REP,
	BBV_REP_LODS,   /* Valgrind runs it as a plain lods, once */
	BBV_REP_UNSEEN, /* exp-bbv takes each repetition for an instruction */
	BBV_FLDCW,
	BBV_VERBOSE,  /* Valgrind ends its block after 31 instructions instead of 60 */
	BBV_RESTORES, /* loads control words without a warning from Valgrind */
	BBV_LEADER,   /* not of the instruction's kind: a block begins with it */
};

/* An instruction of a basic block that needs special treatment; most need none. */
struct bbv_special {
	uint16_t index;    /* of the instruction */
	uint8_t kind;      /* enum bbv_kind */
	uint8_t condition; /* of a rep: 0 none, 1 repe, 2 repne */
};

/* Returns whether instruction `index` of block is special by the rules (not BBV_LEADER). */
bool bbv_classify(const struct tf_block *block, uint16_t index, enum bbv_rules rules,
		  struct bbv_special *special);

/* Returns true if the last instruction ends a block even if control goes on after it. */
bool bbv_block_ends(const struct tf_block *block, enum bbv_rules rules);

/*
 * Returns how many iterations exp-bbv sees of a rep with these extras (see TF_REP; NULL: not known,
 * one). Valgrind may need one more to find that the count is used up.
 */
uint64_t bbv_iterations(uint8_t condition, const uint64_t *extras);

#endif
