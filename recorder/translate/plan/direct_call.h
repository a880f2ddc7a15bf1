/* SPDX-License-Identifier: MIT */
/*
 * System calls that a superblock makes itself where instructions are only counted: the recorder need not
 * know of them, and stopping for each would cost more than the call.
 */
#ifndef DIRECT_CALL_H
#define DIRECT_CALL_H

#include "recorder/translate/plan/plan.h"

/* Is the last instruction of the plan such a call? Its number must be a constant there. */
bool direct_call_ends(const struct plan *plan);

/* Finds the constant that eax is before an instruction of the plan. False: it is not known. */
bool direct_call_number(const struct plan *plan, unsigned insn, uint32_t *number);

#endif
