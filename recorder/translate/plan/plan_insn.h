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
	uint16_t first_capture; /* its captures before it executes, then those after */
	uint16_t n_before, n_after;
	uint16_t first_place, first_slot; /* of its captures */
	bool last;                        /* of its block */
	bool taken;     /* a conditional branch along which the superblock goes on */
	uint64_t guard; /* an indirect jump: the target with which the superblock goes on */
	uint16_t check; /* bytes of code, from its own on, to be compared before it, 0: none */
};

#endif
