/* SPDX-License-Identifier: MIT */
/*
 * Writes instructions that affect state on which translated code itself depends: those through gs,
 * whose base is the context's, and those that change the trap and direction flags.
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

/* Stores in the context, which is at context_at in the process, what it has to know of the
 * registers with which the program enters translated code. */
void special_enter(struct context *context, uint64_t context_at,
		   const struct user_regs_struct *registers);

/* Chooses two registers that the instruction does not use. The first holds the context's address
 * while gs has the program's base. */
void gs_scratch(const struct isa_effects *effects, unsigned *a, unsigned *b);

/* Writes what precedes the copy of the instruction, after emit_restore_used(). */
void emit_special_before(struct emitter *emitter, const struct plan_insn *insn);

/* Returns true if code has to follow the copy, which emit_special_after() writes. */
bool emit_is_special(const struct plan_insn *insn);
void emit_special_after(struct emitter *emitter, const struct plan_insn *insn);

#endif
