/* SPDX-License-Identifier: MIT */
/* Changes traces at the level of sections, records and fields: the same ones for the same seed. */
#ifndef MUTATE_TRACE_H
#define MUTATE_TRACE_H

#include "tests/fuzz/loose_trace.h"

/* A generator of random numbers; any state but 0. */
uint64_t random_next(uint64_t *state);

/* A number below a limit, which is not 0. */
uint64_t random_under(uint64_t *state, uint64_t limit);

/* Makes a few changes. Never leaves a trace without sections. */
void mutate_trace(struct loose_trace *trace, uint64_t *state);

/* Changes some of the bytes of a whole file, or its length: hashes are then wrong. Now and then what
 * an INDEX entry says, with a right hash. */
void mutate_file(struct buffer *file, uint64_t *state);

#endif
