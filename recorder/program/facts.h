/* SPDX-License-Identifier: MIT */
/* What is known of instructions, each kept once: most of a program's are like some other one. */
#ifndef FACTS_H
#define FACTS_H

#include "traceformat/isa.h"

struct facts;

/* NULL: memory is out. */
struct facts *facts_new(void);

/* NULL is allowed. */
void facts_free(struct facts *facts);

/* Returns one that is the same and stays, with its own operands alone; NULL: memory is out. */
const struct isa_insn *facts_keep(struct facts *facts, const struct isa_insn *insn);

/* Likewise. */
const struct isa_effects *facts_keep_effects(struct facts *facts,
					     const struct isa_effects *effects);

#endif
