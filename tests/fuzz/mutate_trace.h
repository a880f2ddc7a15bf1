/* SPDX-License-Identifier: MIT */
/* Changes traces at the level of sections, records and fields. The same seed gives the same
 * changes. */
#ifndef MUTATE_TRACE_H
#define MUTATE_TRACE_H

#include "tests/fuzz/loose_trace.h"

/* Generates random numbers. The state must not be 0. */
uint64_t random_next(uint64_t *state);

/* Returns a number below a limit, which must not be 0. */
uint64_t random_under(uint64_t *state, uint64_t limit);

/* Makes a few changes. Never leaves a trace without sections. */
void mutate_trace(struct loose_trace *trace, uint64_t *state);

/* Changes some bytes of a whole file, or its length; hashes are then wrong. Sometimes changes an
 * INDEX entry, with a right hash. */
void mutate_file(struct buffer *file, uint64_t *state);

#endif
