/* SPDX-License-Identifier: MIT */
/*
 * Finds system calls that a counting variant makes itself. The recorder need not know of them, and
 * a stop for each would cost more than the call.
 */
#ifndef DIRECT_CALL_H
#define DIRECT_CALL_H

#include "recorder/translate/plan/plan_insn.h"

/*
 * Returns whether the last instruction is such a call. There must be at least one instruction. The
 * call's number must be a constant there.
 */
bool direct_call_ends(const struct plan_insn *insns, unsigned count);

/* Finds the constant in eax after the instructions. Returns false if eax is not known. */
bool direct_call_number(const struct plan_insn *insns, unsigned count, uint32_t *number);

#endif
