/* SPDX-License-Identifier: MIT */
/*
 * Which recording a trace is of. A trace has a UUID; one that was repacked or repaired has a new
 * one and names the old one in its META (repacked-from, repaired-from), with the same instructions.
 */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/common/uuid.h"
#include "traceformat/traceformat.h"

enum origin_id { ORIGIN_OWN, ORIGIN_REPACKED, ORIGIN_REPAIRED, ORIGIN_IDS };

/* The UUIDs that a trace is known by, its own, and those of what it was made from, as text without
 * hyphens; empty: there is none. */
struct origin {
	char ids[ORIGIN_IDS][UUID_TEXT];
};

/* The origin of an open trace, whose UUID is in its info. */
struct origin origin_of_trace(struct tf_reader *reader, const uint8_t uuid[16]);

/* The origin of the trace that an open trace is a slice of; unknown if it is none. */
struct origin origin_of_parent(struct tf_reader *reader);

/* Sets one of the UUIDs, given with or without hyphens; NULL: there is none. */
void origin_set(struct origin *origin, enum origin_id which, const char *uuid);

/* Whether two traces are known to be of different recordings. */
bool origins_differ(const struct origin *a, const struct origin *b);

#endif
