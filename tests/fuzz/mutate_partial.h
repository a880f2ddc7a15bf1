/* SPDX-License-Identifier: MIT */
/* Changes the payload of a file of partial results (analyzers/PARTIAL.md), whose hashes are then right. */
#ifndef MUTATE_PARTIAL_H
#define MUTATE_PARTIAL_H

#include "traceformat/common/bytes.h"

/* Makes a few changes, each decided by the generator of mutate_trace.h. */
void mutate_partial(struct buffer *file, uint64_t *state);

#endif
