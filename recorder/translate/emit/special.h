/* SPDX-License-Identifier: MIT */
/*
 * Instructions on which translated code itself depends: through gs, whose base it has taken for the
 * context, and those that change the trap, direction and alignment check flags.
 */
#ifndef SPECIAL_H
#define SPECIAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "traceformat/traceisa.h"

struct context;
struct emitter;
struct plan_insn;

/* Gives a context, at that address, what it must know of the registers with which the program comes
 * to translated code. */
void special_enter(struct context *context, uint64_t context_at,
		   const struct user_regs_struct *registers);

/* Chooses two registers that the instruction does not use: the first has the context's address while
 * gs is the program's. */
void gs_scratch(const struct isa_effects *effects, unsigned *a, unsigned *b);

/* Writes what comes before the copy of the instruction, behind emit_give_used. */
void emit_special_before(struct emitter *emitter, const struct plan_insn *insn);

/* Returns true if something comes behind the copy; writes that. */
bool emit_is_special(const struct plan_insn *insn);
void emit_special_after(struct emitter *emitter, const struct plan_insn *insn);

#endif
