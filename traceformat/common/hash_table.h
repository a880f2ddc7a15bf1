/* SPDX-License-Identifier: MIT */
/*
 * Hash tables with open addressing that number their entries, from 0, in the order in which they
 * were added.
 *
 *     struct count {
 *             uint64_t key;
 *             uint64_t n;
 *     };
 *     HASH_TABLE(struct count) counts = { 0 };
 *     struct count *c = TABLE_PUT(counts, pc);
 *
 *     if (!c)
 *             return TF_E_MEMORY;
 *     c->n++;
 *     for (size_t i = 0; i < counts.count; i++)
 *             show(&counts.at[i]);
 *     TABLE_FREE(counts);
 *
 * An entry is a struct whose first member is `key`, of any type without padding; keys of at most 16
 * bytes are found fastest. The number of an entry, here i, never changes; a pointer to an entry is
 * valid until the next TABLE_PUT. If the lengths of keys differ, store the keys yourself and find
 * them with a hash_index.
 *
 * Keys may come from a received trace. Hashes depend on random numbers of the process, so that
 * nobody can choose keys that collide. Only the time of a search depends on these random numbers.
 */
#ifndef HASH_TABLE_H
#define HASH_TABLE_H

#include "traceformat/common/array.h"
#include "traceformat/common/bytes.h"

/* ---- hashes ---- */

/* Random numbers of this process, drawn before main(). */
extern uint64_t hash_seeds[2];

/* Returns the hash of two numbers: the function wyhash64 of Wang Yi's wyhash. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)(a ^ hash_seeds[0]) * (b ^ hash_seeds[1]);

	product = (__uint128_t)((uint64_t)product ^ UINT64_C(0xa0761d6478bd642f)) *
		  ((uint64_t)(product >> 64) ^ UINT64_C(0xe7037ed1a0b428db));
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Returns the hash of `size` bytes (XXH3). */
uint64_t hash_bytes(const void *bytes, size_t size);

/* ---- an index, which finds numbers by the hashes of their keys ---- */

/* A zeroed index is empty. */
struct hash_index {
	struct hash_slot {
		uint32_t hash; /* the lower half of the hash */
		uint32_t used; /* the number + 1, or 0 if the slot is free */
	} * slots;
	size_t n_slots; /* 0, or a power of two of at least 2 * count */
	size_t count;
};

#define HASH_NONE UINT32_MAX

/*
 * Returns the next number that was added with such a hash, or HASH_NONE. Before the first call *at
 * is the hash. Different keys may have the same hash: the caller compares keys. Expected time O(1).
 */
static inline uint32_t hash_index_next(const struct hash_index *index, uint64_t hash, uint64_t *at)
{
	const struct hash_slot *slot;

	if (!index->n_slots)
		return HASH_NONE;
	do
		slot = &index->slots[(*at)++ & (index->n_slots - 1)];
	while (slot->used && slot->hash != (uint32_t)hash);
	return slot->used - 1;
}

/* Loads the slot where the search for a hash begins into the processor's cache. */
static inline void hash_index_prefetch(const struct hash_index *index, uint64_t hash)
{
	if (index->n_slots)
		__builtin_prefetch(&index->slots[hash & (index->n_slots - 1)]);
}

/*
 * Adds a number, which must not be HASH_NONE, and whose key must not be in the index. Returns
 * false if memory is out, or if there are 2^31 numbers.
 */
bool hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number);

/* Removes all numbers, and keeps the memory. */
void hash_index_clear(struct hash_index *index);

/* Frees the memory; the index is then empty. */
void hash_index_free(struct hash_index *index);

/* ---- a table, whose entries contain their keys ---- */

/* A table of any type. */
struct hash_table {
	void *entries;
	size_t count, capacity;
	struct hash_index index;
};

/* A table with entries at[0] to at[count - 1]; a zeroed one is empty. */
/* clang-format off */
#define HASH_TABLE(type) union { struct hash_table any; struct { type *at; size_t count; }; }
/* clang-format on */

/*
 * Returns the entry of a key, or NULL. The key is an expression or, if it is a struct, may be an
 * initializer: TABLE_FIND(table, { pc, operand }). Expected time O(1).
 */
#define TABLE_FIND(table, ...) TABLE_CALL(hash_table_find, table, __VA_ARGS__)

/*
 * Returns the entry of a key. If there was none, adds one whose other members are 0. Returns NULL
 * if memory is out. Expected time O(1).
 */
#define TABLE_PUT(table, ...) TABLE_CALL(hash_table_put, table, __VA_ARGS__)

/* Removes all entries, and keeps the memory. */
#define TABLE_CLEAR(table) hash_table_clear(&(table).any)

/* Frees the memory; the table is then empty. */
#define TABLE_FREE(table) hash_table_free(&(table).any)

#define TABLE_CALL(function, table, ...)                                                 \
	({                                                                               \
		typeof((table).at->key) key_ = __VA_ARGS__;                              \
		_Static_assert(offsetof(typeof(*(table).at), key) == 0, "key is first"); \
		(typeof((table).at))function(&(table).any, sizeof(*(table).at), &key_,   \
					     sizeof(key_));                              \
	})

/* ---- the functions behind the macros ---- */

FORCE_INLINE uint64_t hash_table_hash(const void *key, size_t key_size)
{
	uint64_t numbers[2] = { 0 };

	if (key_size > sizeof(numbers))
		return hash_bytes(key, key_size);
	memcpy(numbers, key, key_size);
	return hash_pair(numbers[0], numbers[1]);
}

FORCE_INLINE void *hash_table_find(const struct hash_table *table, size_t size, const void *key,
				   size_t key_size)
{
	uint64_t hash = hash_table_hash(key, key_size), at = hash;
	uint32_t number;

	while ((number = hash_index_next(&table->index, hash, &at)) != HASH_NONE) {
		char *entry = (char *)table->entries + number * size;

		if (!memcmp(entry, key, key_size))
			return entry;
	}
	return NULL;
}

void *hash_table_add(struct hash_table *table, size_t size, const void *key, size_t key_size,
		     uint64_t hash);

FORCE_INLINE void *hash_table_put(struct hash_table *table, size_t size, const void *key,
				  size_t key_size)
{
	void *entry = hash_table_find(table, size, key, key_size);

	return entry ? entry
		     : hash_table_add(table, size, key, key_size, hash_table_hash(key, key_size));
}

void hash_table_clear(struct hash_table *table);
void hash_table_free(struct hash_table *table);

#endif
