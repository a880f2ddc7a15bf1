/* SPDX-License-Identifier: MIT */
/*
 * System calls that a path makes itself where instructions are only counted: the recorder need not
 * know of them, and stopping for each would cost more than the call.
 */
#ifndef DIRECT_CALL_H
#define DIRECT_CALL_H

#include "recorder/translate/plan/plan.h"

/* Is the last instruction of the plan such a call? Its number must be a constant there. */
bool direct_call_ends(const struct plan *plan);

#endif
