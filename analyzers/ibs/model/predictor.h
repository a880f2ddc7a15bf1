/* SPDX-License-Identifier: MIT */
/*
 * Branch prediction. The direction of a conditional branch comes from counters of two bits, which
 * start weakly not taken and are chosen by the branch (bimodal) or by branch and history (gshare;
 * S. McFarling, "Combining Branch Predictors", DEC WRL TN-36, 1993), or from struct tage; or it is
 * always predicted as not taken, or always right. The target of a return comes from a stack. The
 * target of another indirect branch is the one that last followed the same earlier targets. Targets
 * of direct branches are known.
 */
#ifndef IBS_PREDICTOR_H
#define IBS_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/ibs/model/insn.h"

enum { TAGE_TABLES = 4, TAGE_HISTORY = 256 };

/* Numbers by table. */
typedef uint32_t tage_lanes __attribute__((vector_size(4 * TAGE_TABLES)));

/*
 * Directions of conditional branches from tables of longer and longer histories, after A. Seznec,
 * P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", JILP 8,
 * 2006: four of them, and one without history. Allocation takes the first entry that is of no use,
 * not a random one; there is no second choice for entries that are new.
 */
struct tage {
	uint32_t counter_bits, tagged_bits; /* log2 of entries */
	uint8_t *counters;                  /* 0 to 3 */
	struct tage_entry {
		uint8_t tag, counter, useful; /* the counter 0 to 7, taken from 4 on */
	} * tables[TAGE_TABLES];
	/* The histories of all tables, folded to the bits of an index, and twice to those of a tag. */
	struct tage_folds {
		tage_lanes folded;
		tage_lanes oldest; /* the bit to which the oldest outcome is folded */
		uint32_t top;      /* the bit behind the highest one */
	} index, tags[2];
	uint8_t outcomes[TAGE_HISTORY]; /* a ring */
	uint32_t newest;
	uint32_t branches; /* since usefulness was halved */
};

/* Initializes the predictor. Ends the process if memory is out. */
void tage_init(struct tage *tage, uint32_t counter_bits, uint32_t tagged_bits);
void tage_free(struct tage *tage);

/* Predicts a branch, then learns its outcome. Returns true if the prediction was right. */
bool tage_step(struct tage *tage, uint64_t pc, bool taken);

struct predictor {
	const struct machine *machine;
	struct tage tage;
	uint8_t *counters;
	uint64_t history;  /* the newest in bit 0 */
	uint64_t *targets; /* by hashed pc and path */
	uint32_t path;     /* of hashed targets, the newest in the low bits */
	uint64_t *returns; /* a ring */
	uint64_t depth;    /* calls minus returns, wrapping */
};

/* A branch that was executed. */
struct branch {
	uint64_t pc, next_pc;  /* itself, and where it went */
	uint64_t fall_through; /* the next instruction in memory */
	uint8_t end;           /* enum tf_end; TF_END_NONE and others that are no branch do
				   nothing */
	bool taken;
};

/* Initializes a predictor, which the machine must outlive. Ends the process if memory is out. */
void predictor_init(struct predictor *predictor, const struct machine *machine);
void predictor_free(struct predictor *predictor);

/* Predicts a branch, then learns its outcome. Returns true if the prediction was right. */
bool predictor_step(struct predictor *predictor, const struct branch *branch);

/*
 * Does the same for an op, which may be no branch. Returns true if it was mispredicted. Only the
 * order of ops matters, not when they are executed.
 */
static inline bool predictor_misses(struct predictor *predictor, const struct ibs_op_facts *op,
				    uint64_t next_pc, bool taken)
{
	struct branch branch = {
		.pc = op->pc,
		.next_pc = next_pc,
		.end = op->end,
		.fall_through = op->pc + op->length,
		.taken = taken,
	};

	return op->end != TF_END_NONE && !predictor_step(predictor, &branch);
}

#endif
