/* SPDX-License-Identifier: MIT */
/*
 * Events of perf_event_open(2), and their records as the kernel writes them, in memory or in a
 * perf.data file (linux/perf_event.h gives the layout). Records are not trusted: contents that
 * exceed their record are refused.
 */
#ifndef PERF_EVENTS_H
#define PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "traceformat/common/bytes.h"
#include "traceformat/traceformat.h"
#include "traceformat/tracesamples.h"

struct perf_event {
	struct perf_event_attr attr; /* the fields known here; missing ones are 0 */
	const uint8_t *bytes;        /* attr as read */
	size_t size;
	char *name;       /* "cpu-clock"; "" if not known */
	uint32_t sampler; /* index in the trace */
};

struct perf_id {
	uint64_t id;
	uint32_t event; /* index of the event */
};

struct perf_events {
	struct perf_event *at;
	size_t count, capacity;
	struct perf_id *ids;
	size_t n_ids, id_capacity;
	bool sorted; /* true if the ids are sorted */
};

/*
 * Adds an event with an attr of `size` bytes, which must stay. Returns the event, or NULL if
 * memory is out.
 */
struct perf_event *perf_events_add(struct perf_events *events, const uint8_t *attr, size_t size);

/* Adds an id of an event's records. Returns false if memory is out. */
bool perf_events_add_id(struct perf_events *events, uint64_t id, uint32_t event);

/*
 * Checks that the records of different events can be distinguished. Returns NULL, or why they
 * cannot.
 */
const char *perf_events_check(struct perf_events *events);

void perf_events_free(struct perf_events *events);

/* Read fields as records have them. */
static inline uint32_t take_le32(struct span *s)
{
	const uint8_t *p = take_bytes(s, 4);

	return p ? get_le32(p) : 0;
}

static inline uint64_t take_le64(struct span *s)
{
	const uint8_t *p = take_bytes(s, 8);

	return p ? get_le64(p) : 0;
}

/* Returns a text that ends with NUL within the span, and skips it and its padding; or NULL. */
const char *take_padded_text(struct span *s);

/* A record without its head and without the fields that end every kind of record. */
struct perf_record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	uint32_t event; /* index; TF_NONE: not known */
	uint64_t time;  /* 0: not known */
	struct span body;
};

enum { PERF_RECORD_HEAD = 8 }; /* bytes */

/* Parses the record of `size` bytes, head included. Returns false if it is damaged. */
bool perf_record_parse(const struct perf_events *events, const uint8_t *bytes, size_t size,
		       struct perf_record *record);

/* A sample with its process and thread. */
struct perf_sample {
	uint32_t pid, tid; /* -1: of no thread */
	bool has_thread;
	const uint8_t *chain;    /* n_chain u64, at any address, if sample has TF_SAMPLE_CHAIN */
	struct tf_sample sample; /* complete except for its sampler and thread */
};

/* Parses the body of a PERF_RECORD_SAMPLE of a known event. Returns false if it is damaged. */
bool perf_sample_parse(const struct perf_events *events, const struct perf_record *record,
		       struct perf_sample *sample);

#endif
