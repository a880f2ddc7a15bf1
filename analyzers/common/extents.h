/* SPDX-License-Identifier: MIT */
/* How much operands of variable extent move, as far as a trace says it. */
#ifndef EXTENTS_H
#define EXTENTS_H

#include "traceformat/traceformat.h"

/*
 * Whether the trace says how often each rep instruction repeated and, unless reps_only, how many
 * lanes and bytes every other operand of variable extent moved. These values come with
 * TF_ADDRESSES, but may be there in a trace without addresses, and may be missing in any.
 */
bool extents_known(const struct tf_reader *reader, bool reps_only);

#endif
