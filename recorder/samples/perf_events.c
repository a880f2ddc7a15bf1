/* SPDX-License-Identifier: MIT */
#include "recorder/samples/perf_events.h"

#include <stdlib.h>

#include "traceformat/common/array.h"

struct perf_event *perf_events_add(struct perf_events *events, const uint8_t *attr, size_t size)
{
	struct perf_event *event;

	if (!RESERVE(*events, events->count + 1))
		return NULL;
	event = &events->at[events->count];
	*event = (struct perf_event){
		.bytes = attr, .size = size, .name = strdup(""), .sampler = TF_NONE
	};
	if (!event->name)
		return NULL;
	memcpy(&event->attr, attr, size < sizeof(event->attr) ? size : sizeof(event->attr));
	events->count++;
	return event;
}

bool perf_events_add_id(struct perf_events *events, uint64_t id, uint32_t event)
{
	if (!array_reserve(&events->ids, &events->id_capacity, events->n_ids + 1,
			   sizeof(*events->ids)))
		return false;
	events->ids[events->n_ids++] = (struct perf_id){ id, event };
	events->sorted = false;
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const struct perf_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

const char *perf_events_check(struct perf_events *events)
{
	const struct perf_event_attr *first;

	if (!events->count)
		return "it names no event";
	if (events->n_ids)
		qsort(events->ids, events->n_ids, sizeof(*events->ids), compare_ids);
	events->sorted = true;
	first = &events->at[0].attr;
	for (size_t i = 1; i < events->count; i++) {
		const struct perf_event_attr *attr = &events->at[i].attr;

		if ((attr->sample_type ^ first->sample_type) & PERF_SAMPLE_IDENTIFIER ||
		    attr->sample_id_all != first->sample_id_all)
			return "its events cannot be told from each other";
		if (!(attr->sample_type & PERF_SAMPLE_IDENTIFIER) &&
		    (attr->sample_type != first->sample_type ||
		     !(attr->sample_type & PERF_SAMPLE_ID)))
			return "its events have different samples without an identifier";
	}
	return NULL;
}

void perf_events_free(struct perf_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->at[i].name);
	free(events->at);
	free(events->ids);
}

const char *take_padded_text(struct span *s)
{
	const char *text = (const char *)s->at;
	const uint8_t *end = memchr(s->at, 0, span_left(s));
	size_t size = end ? (size_t)(end - s->at) + 1 : SIZE_MAX;

	if (s->bad || !end) {
		s->bad = true;
		return NULL;
	}
	size = (size + 7) & ~(size_t)7;
	take_bytes(s, size < span_left(s) ? size : span_left(s));
	return text;
}

static uint32_t event_of_id(const struct perf_events *events, uint64_t id)
{
	struct perf_id key = { .id = id };
	const struct perf_id *found = NULL;

	if (events->n_ids && events->sorted)
		found = bsearch(&key, events->ids, events->n_ids, sizeof(key), compare_ids);
	return found ? found->event : TF_NONE;
}

/* Returns the offset of PERF_SAMPLE_ID in a sample without an identifier. */
static size_t id_offset(uint64_t type)
{
	return 8 * (size_t)__builtin_popcountll(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR));
}

static uint32_t event_of_sample(const struct perf_events *events, struct span body)
{
	uint64_t type = events->at[0].attr.sample_type;

	if (events->count == 1)
		return 0;
	if (!(type & PERF_SAMPLE_IDENTIFIER))
		take_bytes(&body, id_offset(type));
	return event_of_id(events, take_le64(&body));
}

/* Reads the end of a record that is no sample: some of a sample's fields. */
static void take_trailer(const struct perf_events *events, struct perf_record *r)
{
	const uint64_t each = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			      PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	uint64_t type = events->at[0].attr.sample_type & each;
	size_t size = 8 * (size_t)__builtin_popcountll(type);
	struct span trailer;

	if (!events->at[0].attr.sample_id_all)
		return;
	if (span_left(&r->body) < size) {
		r->body.bad = true;
		return;
	}
	r->body.end -= size;
	trailer = span_of(r->body.end, size);
	if (events->count == 1)
		r->event = 0;
	else if (type & PERF_SAMPLE_IDENTIFIER)
		r->event = event_of_id(events, get_le64(r->body.end + size - 8));
	if (type & PERF_SAMPLE_TID)
		take_le64(&trailer);
	if (type & PERF_SAMPLE_TIME)
		r->time = take_le64(&trailer);
}

/* Returns the time of a sample without parsing the rest. */
static uint64_t time_of_sample(const struct perf_event_attr *attr, struct span body)
{
	uint64_t before = attr->sample_type &
			  (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);

	if (!(attr->sample_type & PERF_SAMPLE_TIME))
		return 0;
	take_bytes(&body, 8 * (uint64_t)__builtin_popcountll(before));
	return take_le64(&body);
}

bool perf_record_parse(const struct perf_events *events, const uint8_t *bytes, size_t size,
		       struct perf_record *r)
{
	if (size < PERF_RECORD_HEAD || !events->count)
		return false;
	*r = (struct perf_record){
		.type = get_le32(bytes),
		.misc = get_le16(bytes + 4),
		.event = TF_NONE,
		.body = span_of(bytes + PERF_RECORD_HEAD, size - PERF_RECORD_HEAD),
	};
	if (r->type == PERF_RECORD_SAMPLE) {
		r->event = event_of_sample(events, r->body);
		if (r->event != TF_NONE)
			r->time = time_of_sample(&events->at[r->event].attr, r->body);
	} else {
		take_trailer(events, r);
	}
	return !r->body.bad;
}
