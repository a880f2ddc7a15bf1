/* SPDX-License-Identifier: MIT */
/* Declarations that the makers of a random trace's parts share. */
#ifndef RANDOM_PARTS_H
#define RANDOM_PARTS_H

#include "tests/unit/traces/random/random_trace.h"

/* Returns zeroed memory that lives as long as the trace. */
void *random_memory(struct random_trace *t, size_t size);

/* Returns at most `max` characters of one to three bytes each. */
char *random_text(struct random_trace *t, unsigned max);

/* Add a block or a path. */
void random_block(struct random_trace *t);
void random_path(struct random_trace *t);

void random_dictionary(struct random_trace *t);
void random_script(struct random_trace *t);

/* Calls visit for each value that the first `executed` instructions of a path have. */
void random_each_value(const struct random_trace *t, const struct tf_path *p, uint32_t executed,
		       void (*visit)(void *, unsigned), void *opaque);

/* Returns the number of slots that a record of the first `executed` instructions must have. */
unsigned random_slots_needed(const struct random_trace *t, const struct tf_path *p,
			     uint32_t executed);

/* Adds 1 to 3 events inside the coming execution (or, executed 0, behind all), in their order. */
void random_add_events(struct random_trace *t, uint32_t thread, uint32_t executed);

/* Sets bases that changed inside an execution, which hold from the next execution on. */
void random_late_bases(struct random_stream *s, uint64_t after);

#endif
