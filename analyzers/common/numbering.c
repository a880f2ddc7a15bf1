/* SPDX-License-Identifier: MIT */
#include "analyzers/common/numbering.h"

#include <string.h>
#include <xxhash.h>

#include "cli/common/checked.h"

enum { FIRST_SLOTS = 64 };

static uint32_t *free_slot(const struct numbering *n, uint64_t hash)
{
	uint32_t at = hash & (n->n_slots - 1);

	while (n->slots[at])
		at = (at + 1) & (n->n_slots - 1);
	return &n->slots[at];
}

static void grow(struct numbering *n)
{
	n->n_slots = n->n_slots ? 2 * n->n_slots : FIRST_SLOTS;
	free(n->slots);
	n->slots = checked_array(n->n_slots, sizeof(*n->slots));
	n->keys = checked(reallocarray(n->keys, n->n_slots / 2, sizeof(*n->keys)));
	n->hashes = checked(reallocarray(n->hashes, n->n_slots / 2, sizeof(*n->hashes)));
	for (uint32_t i = 0; i < n->count; i++)
		*free_slot(n, n->hashes[i]) = i + 1;
}

uint32_t numbering_add(struct numbering *n, const void *key, size_t size)
{
	uint64_t hash = XXH3_64bits(key, size);

	if (n->count == n->n_slots / 2)
		grow(n);
	for (uint32_t at = hash & (n->n_slots - 1); n->slots[at];
	     at = (at + 1) & (n->n_slots - 1)) {
		uint32_t number = n->slots[at] - 1;

		if (n->hashes[number] == hash && !memcmp(n->keys[number], key, size))
			return number;
	}
	n->keys[n->count] = memcpy(checked(malloc(size)), key, size);
	n->hashes[n->count] = hash;
	*free_slot(n, hash) = n->count + 1;
	return n->count++;
}

uint32_t numbering_add_text(struct numbering *n, const char *text)
{
	return numbering_add(n, text, strlen(text) + 1);
}

void numbering_free(struct numbering *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->keys[i]);
	free(n->keys);
	free(n->hashes);
	free(n->slots);
}
