/* SPDX-License-Identifier: MIT */
/*
 * An index is an array of slots, at most half of which are used. A search begins at the slot that
 * the hash gives and ends at a free one (D. E. Knuth, TAOCP 3, 6.4, algorithm L). A slot contains
 * half of the hash: the search reads hardly any other key, and growing reads none.
 */
#include "traceformat/common/hash_table.h"

#include <sys/random.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 32 };
#define MAX_COUNT ((size_t)1 << 31) /* a slot's half of the hash distinguishes 2^32 slots */

/* The kernel replaces these numbers, if it has random ones yet. */
uint64_t hash_seeds[2] = { 0x8ebc6af09c88c6e3, 0x589965cc75374cc3 };

static __attribute__((constructor)) void draw_seeds(void)
{
	ssize_t drawn = getrandom(hash_seeds, sizeof(hash_seeds), GRND_NONBLOCK);

	(void)drawn;
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
	return XXH3_64bits_withSeed(bytes, size, hash_seeds[0]);
}

static void insert(struct hash_index *index, struct hash_slot slot)
{
	size_t at = slot.hash;

	while (index->slots[at & (index->n_slots - 1)].used)
		at++;
	index->slots[at & (index->n_slots - 1)] = slot;
}

static bool grow(struct hash_index *index)
{
	struct hash_index larger = { .count = index->count };

	larger.n_slots = index->n_slots ? 2 * index->n_slots : FIRST_SLOTS;
	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < index->n_slots; i++)
		if (index->slots[i].used)
			insert(&larger, index->slots[i]);
	free(index->slots);
	*index = larger;
	return true;
}

bool hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number)
{
	if (index->count == MAX_COUNT || (2 * index->count == index->n_slots && !grow(index)))
		return false;
	insert(index, (struct hash_slot){ (uint32_t)hash, number + 1 });
	index->count++;
	return true;
}

void hash_index_clear(struct hash_index *index)
{
	if (index->count)
		memset(index->slots, 0, index->n_slots * sizeof(*index->slots));
	index->count = 0;
}

void hash_index_free(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}

void *hash_table_add(struct hash_table *table, size_t size, const void *key, size_t key_size,
		     uint64_t hash)
{
	char *entry;

	if (!array_reserve(&table->entries, &table->capacity, table->count + 1, size) ||
	    !hash_index_add(&table->index, hash, (uint32_t)table->count))
		return NULL;
	entry = (char *)table->entries + table->count++ * size;
	memset(entry, 0, size);
	return memcpy(entry, key, key_size);
}

void hash_table_clear(struct hash_table *table)
{
	hash_index_clear(&table->index);
	table->count = 0;
}

void hash_table_free(struct hash_table *table)
{
	hash_index_free(&table->index);
	free(table->entries);
	*table = (struct hash_table){ 0 };
}
