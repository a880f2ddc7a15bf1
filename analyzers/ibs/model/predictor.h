/* SPDX-License-Identifier: MIT */
/*
 * Branch prediction. Conditional branches: counters of two bits that start weakly not taken, by the
 * branch (bimodal) or by it and the history (gshare; S. McFarling, "Combining Branch Predictors",
 * DEC WRL TN-36, 1993); tage.h; always not taken; or always right. Returns: a stack. Other indirect
 * branches: the last target after the same targets before. Direct ones are known.
 */
#ifndef IBS_PREDICTOR_H
#define IBS_PREDICTOR_H

#include "analyzers/ibs/model/machine.h"
#include "analyzers/ibs/model/tage.h"

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

#endif
