/* SPDX-License-Identifier: MIT */
#include "traceformat/reader/section_records.h"

#include <stdlib.h>

#include "traceformat/common/error.h"

struct section_records section_records_of(struct tf_reader *reader, const struct section *section,
					  const struct buffer *payload)
{
	return (struct section_records){
		.reader = reader,
		.kind = section->kind,
		.section = section,
		.in = span_of(payload->data, payload->size),
		.left = section->count,
	};
}

bool section_records_are_in(const struct section *s, enum section_kind kind)
{
	return s->kind == kind && !s->lost && section_known(s) == 1;
}

/* Reads the next section. Returns 1, 0 if there is none, or a negative status. */
static int next_section(struct section_records *records, struct tf_error *error)
{
	struct tf_reader *r = records->reader;
	int status;

	for (; records->next_section < r->sections.count; records->next_section++) {
		const struct section *s = &r->sections.at[records->next_section];

		if (!section_records_are_in(s, records->kind))
			continue;
		records->next_section++;
		records->section = s;
		status = reader_records(r, s, &records->payload, error);
		if (status < 0)
			return status;
		records->in = span_of(records->payload.data, records->payload.size);
		records->left = s->count;
		return 1;
	}
	return 0;
}

int section_records_next(struct section_records *records, struct tf_error *error)
{
	while (!records->left) {
		int status = next_section(records, error);

		if (status <= 0)
			return status;
	}
	return 1;
}

struct span section_records_take(struct section_records *records)
{
	uint64_t size = take_varint(&records->in);
	const uint8_t *bytes = take_bytes(&records->in, size);

	records->left--;
	return span_of(bytes, bytes ? size : 0);
}

void section_records_free(struct section_records *records)
{
	buffer_free(&records->payload);
}

int section_records_compare(struct tf_reader *r, const char *key, const char *what, uint64_t found,
			    struct tf_error *error)
{
	const char *text = tf_meta(r, key);
	uint64_t stated = text ? strtoull(text, NULL, 10) : found;
	bool whole = r->finished && !(r->compat & COMPAT_REPAIRED) && !reader_missing(r) &&
		     !r->bytes_lost;

	if (stated == found || !whole)
		return 0;
	return fail(error, TF_E_DAMAGED,
		    "%s: contradicts itself: its vectors have %llu %s, its META says %llu", r->name,
		    (unsigned long long)found, what, (unsigned long long)stated);
}
