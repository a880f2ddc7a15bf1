/* SPDX-License-Identifier: MIT */
/*
 * Identifies the recording of a trace. A trace has a UUID; one that was repacked or repaired has a
 * new one and names the old one in its META (repacked-from, repaired-from), with the same
 * instructions. Slices that trace-record --points has recorded in several runs name the one run
 * that they were chosen from (slice.profile).
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/trace_meta.h"
#include "traceformat/traceformat.h"

enum origin_id { ORIGIN_OWN, ORIGIN_REPACKED, ORIGIN_REPAIRED, ORIGIN_PROFILE, ORIGIN_IDS };

/*
 * The UUIDs of a trace, its own and those of the traces from which it was made, as text without
 * hyphens; empty: there is none.
 */
struct origin {
	char ids[ORIGIN_IDS][UUID_TEXT];
};

/* Returns the origin of an open trace, whose UUID is in its info. */
struct origin origin_of_trace(struct tf_reader *reader, const uint8_t uuid[16]);

/* Returns the origin of the trace from which an open trace was cut; unknown if it is no slice. */
struct origin origin_of_parent(struct tf_reader *reader);

/* Sets one of the UUIDs, given with or without hyphens; NULL: there is none. */
void origin_set(struct origin *origin, enum origin_id which, const char *uuid);

/* Returns true if two traces are known to be of different recordings. */
bool origins_differ(const struct origin *a, const struct origin *b);

#endif
