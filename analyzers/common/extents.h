/* SPDX-License-Identifier: MIT */
/* Tells whether a trace has the extents of operands of variable extent. */
#ifndef EXTENTS_H
#define EXTENTS_H

#include "traceformat/traceformat.h"

/*
 * Returns true if the trace has the repetitions of each rep instruction and, unless reps_only, the
 * lanes and bytes of every other operand of variable extent. These values come with TF_ADDRESSES,
 * but may be there in a trace without addresses, and may be missing in any.
 */
bool extents_known(const struct tf_reader *reader, bool reps_only);

#endif
