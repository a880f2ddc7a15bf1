/* SPDX-License-Identifier: MIT */
#include "recorder/translate/records/path_ids.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1 << 12 };

struct known {
	struct path_id id;
	uint64_t hash;
	unsigned n_blocks;
	uint32_t blocks[];
};

/* A hash table with open addressing, at most half full. */
struct path_ids {
	struct known **slots;
	uint32_t n_slots, count;
};

struct path_ids *path_ids_new(void)
{
	struct path_ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return NULL;
	ids->n_slots = FIRST_SLOTS;
	ids->slots = calloc(ids->n_slots, sizeof(*ids->slots));
	if (ids->slots)
		return ids;
	free(ids);
	return NULL;
}

void path_ids_free(struct path_ids *ids)
{
	for (uint32_t i = 0; ids && i < ids->n_slots; i++)
		free(ids->slots[i]);
	if (ids)
		free(ids->slots);
	free(ids);
}

static uint64_t hash_of(const uint32_t *blocks, unsigned n)
{
	uint64_t hash = n;

	for (unsigned i = 0; i < n; i++)
		hash = (hash ^ blocks[i]) * 0x9e3779b97f4a7c15u ^ hash >> 29;
	return hash;
}

static bool is(const struct known *k, uint64_t hash, const uint32_t *blocks, unsigned n)
{
	return k->hash == hash && k->n_blocks == n &&
	       memcmp(k->blocks, blocks, n * sizeof(*blocks)) == 0;
}

/* Returns the slot that has the superblock, or would have it. */
static struct known **slot(const struct path_ids *ids, uint64_t hash, const uint32_t *blocks,
			   unsigned n)
{
	uint64_t i = hash >> 32;

	while (ids->slots[i & (ids->n_slots - 1)] &&
	       !is(ids->slots[i & (ids->n_slots - 1)], hash, blocks, n))
		i++;
	return &ids->slots[i & (ids->n_slots - 1)];
}

bool path_ids_find(const struct path_ids *ids, const uint32_t *blocks, unsigned n,
		   struct path_id *id)
{
	const struct known *k = *slot(ids, hash_of(blocks, n), blocks, n);

	if (k)
		*id = k->id;
	return k;
}

static bool grow(struct path_ids *ids)
{
	struct path_ids larger = { .n_slots = ids->n_slots * 2, .count = ids->count };

	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (uint32_t i = 0; i < ids->n_slots; i++) {
		struct known *k = ids->slots[i];

		if (k)
			*slot(&larger, k->hash, k->blocks, k->n_blocks) = k;
	}
	free(ids->slots);
	*ids = larger;
	return true;
}

void path_ids_add(struct path_ids *ids, const uint32_t *blocks, unsigned n, struct path_id id)
{
	struct known *k;

	if (2 * ids->count >= ids->n_slots && !grow(ids))
		return;
	k = malloc(sizeof(*k) + n * sizeof(*blocks));
	if (!k)
		return;
	*k = (struct known){ .id = id, .hash = hash_of(blocks, n), .n_blocks = n };
	memcpy(k->blocks, blocks, n * sizeof(*blocks));
	*slot(ids, k->hash, blocks, n) = k;
	ids->count++;
}
