/* SPDX-License-Identifier: MIT */
/*
 * System calls that a superblock makes itself where instructions are only counted: the recorder need not
 * know of them, and stopping for each would cost more than the call.
 */
#ifndef DIRECT_CALL_H
#define DIRECT_CALL_H

#include "recorder/translate/plan/plan_insn.h"

/*
 * Returns whether the last of the instructions, of which there is at least one, is such a call. The
 * call's number must be a constant there.
 */
bool direct_call_ends(const struct plan_insn *insns, unsigned count);

/* Finds the constant in eax behind the instructions. Returns false if eax is not known. */
bool direct_call_number(const struct plan_insn *insns, unsigned count, uint32_t *number);

#endif
