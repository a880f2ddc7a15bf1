/* SPDX-License-Identifier: MIT */
#include "recorder/translate/records/path_ids.h"

#include <stdlib.h>
#include <string.h>

#include "traceformat/common/hash_table.h"

struct known {
	struct path_id id;
	uint32_t n_blocks;
	size_t first_block; /* in `blocks` */
};

struct path_ids {
	struct hash_index index; /* of known */
	ARRAY(struct known) known;
	ARRAY(uint32_t) blocks;
};

struct path_ids *path_ids_new(void)
{
	return calloc(1, sizeof(struct path_ids));
}

void path_ids_free(struct path_ids *ids)
{
	if (!ids)
		return;
	hash_index_free(&ids->index);
	free(ids->known.at);
	free(ids->blocks.at);
	free(ids);
}

bool path_ids_find(const struct path_ids *ids, const uint32_t *blocks, unsigned n,
		   struct path_id *id)
{
	uint64_t hash = hash_bytes(blocks, n * sizeof(*blocks)), at = hash;
	uint32_t number;

	while ((number = hash_index_next(&ids->index, hash, &at)) != HASH_NONE) {
		const struct known *k = &ids->known.at[number];

		*id = k->id;
		if (k->n_blocks == n &&
		    !memcmp(&ids->blocks.at[k->first_block], blocks, n * sizeof(*blocks)))
			return true;
	}
	return false;
}

void path_ids_add(struct path_ids *ids, const uint32_t *blocks, unsigned n, struct path_id id)
{
	size_t first = ids->blocks.count;

	if (!RESERVE(ids->known, ids->known.count + 1) || !RESERVE(ids->blocks, first + n) ||
	    !hash_index_add(&ids->index, hash_bytes(blocks, n * sizeof(*blocks)),
			    (uint32_t)ids->known.count))
		return;
	ids->known.at[ids->known.count++] = (struct known){ id, n, first };
	memcpy(&ids->blocks.at[first], blocks, n * sizeof(*blocks));
	ids->blocks.count += n;
}
