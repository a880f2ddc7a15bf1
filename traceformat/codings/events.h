/* SPDX-License-Identifier: MIT */
/* Events in a chunk's event column (FORMAT.md 5.5). */
#ifndef EVENTS_H
#define EVENTS_H

#include "traceformat/common/bytes.h"
#include "traceformat/traceformat.h"

/* Returns what is wrong with an event that a reader would refuse, or NULL. */
const char *event_check(const struct tf_event *event);

/* Appends an event that stands `distance` instructions after the one before it in the column. */
void event_encode(struct buffer *column, uint64_t distance, const struct tf_event *event);

/*
 * Takes the next event and leaves its thread and ordinal unset; *distance is as in event_encode.
 * Strings are in *text, which grows as needed. Returns false, with column->bad set, if the column
 * is damaged.
 */
bool event_decode(struct span *column, uint64_t *distance, struct tf_event *event,
		  struct buffer *text);

#endif
