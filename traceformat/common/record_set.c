/* SPDX-License-Identifier: MIT */
#include "traceformat/common/record_set.h"

static struct record_bytes *find(struct record_set *set, const struct buffer *bytes, uint64_t hash)
{
	uint64_t at = hash;
	uint32_t i;

	while ((i = hash_index_next(&set->index, hash, &at)) != HASH_NONE) {
		struct record_bytes *r = &set->records.at[i];

		if (r->size == bytes->size && !memcmp(r->bytes, bytes->data, r->size))
			return r;
	}
	return NULL;
}

struct record_bytes *record_set_put(struct record_set *set, const struct buffer *bytes,
				    bool *is_new)
{
	uint64_t hash = hash_bytes(bytes->data, bytes->size);
	struct record_bytes *r = bytes->failed ? NULL : find(set, bytes, hash);
	uint8_t *copy;

	*is_new = !r;
	if (r || bytes->failed)
		return r;
	copy = pool_alloc(&set->pool, bytes->size + 1);
	if (!copy || !RESERVE(set->records, set->records.count + 1) ||
	    !hash_index_add(&set->index, hash, (uint32_t)set->records.count))
		return NULL;
	memcpy(copy, bytes->data, bytes->size);
	r = &set->records.at[set->records.count++];
	*r = (struct record_bytes){ .bytes = copy, .size = bytes->size };
	return r;
}

void record_set_free(struct record_set *set)
{
	hash_index_free(&set->index);
	free(set->records.at);
	pool_free(&set->pool);
	*set = (struct record_set){ 0 };
}
