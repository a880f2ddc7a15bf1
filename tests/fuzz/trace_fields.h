/* SPDX-License-Identifier: MIT */
/* The fields of a section's payload or of a column, as FORMAT.md 3 to 6 list them. */
#ifndef TRACE_FIELDS_H
#define TRACE_FIELDS_H

#include "tests/fuzz/loose_trace.h"

enum field_type {
	FIELD_VARINT,
	FIELD_SVARINT,
	FIELD_INDEX,
	FIELD_U8,
	FIELD_STRING, /* the bytes, without their length, which is a field of its own */
	FIELD_BYTES,  /* what is not made of fields, or does not follow the format */
};

struct field {
	enum field_type type;
	size_t at, size; /* bytes of the payload */
	unsigned record; /* the number of the record that it belongs to */
	uint64_t value;  /* of a number, as a varint */
};

struct fields {
	struct field *at;
	size_t count, room;
	unsigned n_records;
};

/* Splits a part of a section: part 0 of a dictionary section, or a column. Zeroed, *fields is empty.
 * Free with fields_free. */
void fields_find(struct fields *fields, const struct loose_section *section,
		 const struct loose_part *part);
void fields_free(struct fields *fields);

#endif
