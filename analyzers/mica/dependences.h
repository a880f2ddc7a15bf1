/* SPDX-License-Identifier: MIT */
/* What MICA does not count as a dependence between instructions, and one may want to. */
#ifndef MICA_DEPENDENCES_H
#define MICA_DEPENDENCES_H

#include "traceformat/isa.h"

enum mica_dependences {
	MICA_FOLDED = 1,	/* parts of a register are the register: al, ax, eax are rax */
	MICA_WITH_FLAGS = 2,	/* the flags are a register, MICA_FLAGS */
};

/* Adds dependences (enum mica_dependences, or-ed) to the facts of the instruction at code. */
void mica_add_dependences(struct isa_facts *facts, unsigned dependences, const uint8_t *code,
			  size_t length, uint64_t pc, enum isa_vendor vendor);

#endif
