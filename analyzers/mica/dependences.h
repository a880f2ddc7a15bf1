/* SPDX-License-Identifier: MIT */
/*
 * Facts about instructions that MICA lacks but a user may want: more dependences, newer
 * instructions.
 */
#ifndef MICA_DEPENDENCES_H
#define MICA_DEPENDENCES_H

#include "traceformat/traceisa.h"

enum mica_dependences {
	MICA_FOLDED = 1,     /* parts of a register are the register: al, ax, eax are rax */
	MICA_WITH_FLAGS = 2, /* the flags are a register, MICA_FLAGS */
	MICA_WITH_CET = 4,   /* endbr64 and rdssp are CET's, as to XED since Pin 3.11; without,
				   they are the no-operations that they were before */
};

/* Changes the facts of the instruction at code by dependences (enum mica_dependences, or-ed). */
void mica_add_dependences(struct isa_facts *facts, unsigned dependences, const uint8_t *code,
			  size_t length, uint64_t pc, enum isa_vendor vendor);

#endif
