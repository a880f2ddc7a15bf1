/* SPDX-License-Identifier: MIT */
/* Finds dictionary records that are equal, by their contents as bytes. */
#ifndef RECORD_SET_H
#define RECORD_SET_H

#include "traceformat/common/array.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/common/pool.h"

/* A zeroed set is empty. */
struct record_set {
	struct hash_index index;
	ARRAY(struct record_bytes {
		const uint8_t *bytes;
		size_t size;
		uint32_t value; /* the caller's; 0 for a new record */
	})
	records;
	struct pool pool;
};

/*
 * Returns the entry of a record, and sets *is_new if the set did not have the record. Returns NULL
 * if memory is out, also if appending to `bytes` failed. Valid until the next call.
 */
struct record_bytes *record_set_put(struct record_set *set, const struct buffer *bytes,
				    bool *is_new);

void record_set_free(struct record_set *set);

#endif
