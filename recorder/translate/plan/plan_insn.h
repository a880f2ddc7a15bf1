/* SPDX-License-Identifier: MIT */
/* An instruction of a plan. */
#ifndef PLAN_INSN_H
#define PLAN_INSN_H

#include <stdbool.h>

#include "traceformat/traceisa.h"

struct plan_insn {
	const struct isa_insn *fact;
	const uint8_t *code;
	uint64_t pc;
	struct isa_effects effects;
	uint16_t first_capture; /* captures before the instruction executes, then those after */
	uint16_t n_before, n_after;
	uint16_t first_place, first_slot; /* of its captures */
	bool last;                        /* last instruction of its block */
	bool taken;                       /* a conditional branch that the superblock follows */
	uint64_t guard; /* an indirect jump: the target that the superblock follows */
	uint16_t check; /* bytes of code, from this instruction on, to compare before it; 0: none */
};

#endif
