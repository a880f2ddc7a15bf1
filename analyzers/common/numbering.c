/* SPDX-License-Identifier: MIT */
#include "analyzers/common/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"

uint32_t numbering_add(struct numbering *n, const void *key, size_t size)
{
	uint64_t hash = hash_bytes(key, size), at = hash;
	uint32_t number;
	void *bytes;

	while ((number = hash_index_next(&n->index, hash, &at)) != HASH_NONE) {
		const struct numbered_key *known = &n->keys.at[number];

		if (known->size == size && !memcmp(known->bytes, key, size))
			return number;
	}
	CHECKED_RESERVE(n->keys, n->count + 1);
	if (!hash_index_add(&n->index, hash, n->count))
		out_of_memory();
	bytes = memcpy(checked(malloc(size)), key, size);
	n->keys.at[n->count] = (struct numbered_key){ bytes, size };
	return n->count++;
}

uint32_t numbering_add_text(struct numbering *n, const char *text)
{
	return numbering_add(n, text, strlen(text) + 1);
}

void numbering_free(struct numbering *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->keys.at[i].bytes);
	free(n->keys.at);
	hash_index_free(&n->index);
}
