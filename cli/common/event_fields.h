/* SPDX-License-Identifier: MIT */
/* The contents of an event as named fields, so that every output format shows the same. */
#ifndef EVENT_FIELDS_H
#define EVENT_FIELDS_H

#include "traceformat/traceformat.h"

enum event_field_type {
	EVENT_NUMBER,
	EVENT_SIGNED,
	EVENT_HEX, /* pcs, addresses, register values */
	EVENT_HEX_LIST,
	EVENT_STRING, /* untrusted bytes: see escape.h */
	EVENT_BYTES,
};

struct event_field {
	const char *name;
	enum event_field_type type;
	union {
		uint64_t number;
		int64_t signed_number;
		const char *string;
	};
	const void *list; /* EVENT_HEX_LIST: u64s, EVENT_BYTES: bytes; the event's */
	size_t count;     /* of list */
};

enum { EVENT_MAX_FIELDS = 10 };

/* Returns "syscall", "thread-start", ...; "unknown" for kinds of a later format. */
const char *event_name(uint32_t kind);

/*
 * Fills fields with the contents of an event of a loaded reader, except kind, thread and ordinal.
 * Names that the trace does not resolve are left out. Returns how many fields there are.
 */
size_t event_fields(const struct tf_reader *reader, const struct tf_event *event,
		    struct event_field fields[EVENT_MAX_FIELDS]);

#endif
