/* SPDX-License-Identifier: MIT */
/* Hash tables against a linear search, with keys that are made to collide, and without memory. */
#include <check.h>
#include <stdio.h>

#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"
#include "traceformat/common/hash_table.h"

/* Calls left until an allocation fails; negative: none fails. The linker sends calls here. */
static int allocations = -1;

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool may_allocate(void)
{
	return allocations < 0 || allocations-- > 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
	return may_allocate() ? __real_realloc(memory, size) : NULL;
}

/* ---- the oracle -------------------------------------------------------------------------- */

struct small {
	uint32_t key;
	uint32_t value;
};

struct pair {
	uint64_t value;
	uint32_t space, operand;
};

struct large {
	struct pair key;
	uint64_t value;
	uint8_t more;
};

enum { STEPS = 4000, DIFFERENT = 900 };

/* Returns the index of a key in a list, or -1. */
static int find_small(const uint32_t *keys, size_t n, uint32_t key)
{
	for (size_t i = 0; i < n; i++)
		if (keys[i] == key)
			return (int)i;
	return -1;
}

/* A table finds, adds and numbers keys as a list does, and is as new after it has been cleared. */
START_TEST(as_a_list)
{
	HASH_TABLE(struct small) table = { 0 };
	uint32_t *keys = calloc(DIFFERENT, sizeof(*keys));
	uint64_t state = (uint64_t)_i + 1;

	for (unsigned round = 0; round < 3; round++) {
		size_t n = 0;

		for (unsigned i = 0; i < STEPS; i++) {
			uint32_t key = random_below(&state, DIFFERENT) * (round + 1);
			int known = find_small(keys, n, key);
			struct small *at = TABLE_FIND(table, key);

			ck_assert(known < 0 ? !at : at == &table.at[known]);
			if (random_chance(&state, 50))
				continue;
			at = TABLE_PUT(table, key);
			ck_assert_uint_eq(at->key, key);
			ck_assert_uint_eq(at->value, known < 0 ? 0 : ~key);
			at->value = ~key;
			if (known < 0)
				keys[n++] = key;
			ck_assert_ptr_eq(at, &table.at[known < 0 ? (int)n - 1 : known]);
			ck_assert_uint_eq(table.count, n);
		}
		for (size_t i = 0; i < n; i++) {
			ck_assert_uint_eq(table.at[i].key, keys[i]);
			ck_assert_uint_eq(table.at[i].value, ~keys[i]);
		}
		if (round)
			TABLE_CLEAR(table);
		else
			TABLE_FREE(table);
		ck_assert_uint_eq(table.count, 0);
		ck_assert_ptr_null(TABLE_FIND(table, keys[0]));
	}
	TABLE_FREE(table);
	free(keys);
}
END_TEST

struct longest {
	struct {
		uint8_t bytes[40];
	} key;
	unsigned value;
};

/* Keys of more than 16 bytes differ if any of their bytes does. */
START_TEST(longest_keys)
{
	HASH_TABLE(struct longest) table = { 0 };

	for (unsigned round = 0; round < 2; round++)
		for (unsigned bit = 0; bit < 320; bit++) {
			typeof(table.at->key) key = { 0 };
			struct longest *at;

			key.bytes[bit / 8] = (uint8_t)(1u << bit % 8);
			at = TABLE_PUT(table, key);
			ck_assert_ptr_eq(at, &table.at[bit]);
			ck_assert_uint_eq(at->value, round ? bit : 0);
			ck_assert_ptr_eq(TABLE_FIND(table, key), at);
			at->value = bit;
		}
	ck_assert_uint_eq(table.count, 320);
	TABLE_FREE(table);
}
END_TEST

/* Keys differ if any of their bytes does. */
START_TEST(long_keys)
{
	HASH_TABLE(struct large) table = { 0 };

	for (unsigned round = 0; round < 2; round++)
		for (unsigned bit = 0; bit < 128; bit++) {
			struct pair key = { .value = bit < 64 ? UINT64_C(1) << bit : 0 };
			struct large *at;

			if (bit >= 96)
				key.operand = 1u << (bit - 96);
			else if (bit >= 64)
				key.space = 1u << (bit - 64);
			at = TABLE_PUT(table, key);
			ck_assert_ptr_eq(at, &table.at[bit]);
			ck_assert_uint_eq(at->value, round ? bit : 0);
			ck_assert_uint_eq(at->more, round ? 7 : 0);
			at->value = bit;
			at->more = 7;
		}
	ck_assert_uint_eq(table.count, 128);
	ck_assert_ptr_null(TABLE_FIND(table, { 0 }));
	TABLE_FREE(table);
}
END_TEST

/* ---- an index ---------------------------------------------------------------------------- */

static uint32_t find_text(const struct hash_index *index, char (*texts)[16], const char *text,
			  uint64_t hash)
{
	uint64_t at = hash;
	uint32_t i;

	while ((i = hash_index_next(index, hash, &at)) != HASH_NONE)
		if (!strcmp(texts[i], text))
			return i;
	return HASH_NONE;
}

/* The hash of a text is either its own or the same as those of all other texts. */
static void check_texts(bool all_collide)
{
	enum { TEXTS = 500 };
	static char texts[TEXTS][16];
	struct hash_index index = { 0 };

	for (uint32_t i = 0; i < 2 * TEXTS; i++) {
		char text[16];
		uint64_t hash;

		snprintf(text, sizeof(text), "%u", i % TEXTS);
		hash = all_collide ? UINT64_MAX : hash_bytes(text, strlen(text));
		ck_assert_uint_eq(find_text(&index, texts, text, hash),
				  i < TEXTS ? HASH_NONE : i - TEXTS);
		if (i >= TEXTS)
			continue;
		strcpy(texts[i], text);
		ck_assert(hash_index_add(&index, hash, i));
	}
	ck_assert_uint_eq(index.count, TEXTS);
	hash_index_free(&index);
	ck_assert_uint_eq(find_text(&index, texts, "1", hash_bytes("1", 1)), HASH_NONE);
}

START_TEST(texts_by_an_index)
{
	check_texts(false);
	check_texts(true);
}
END_TEST

/* ---- keys that are made to collide ------------------------------------------------------- */

enum { MANY = 1 << 16 };

/* Returns the mean number of slots from where the search for a key begins to the key's slot. */
static double mean_distance(const struct hash_index *index)
{
	double sum = 0;

	for (size_t i = 0; i < index->n_slots; i++)
		if (index->slots[i].used)
			sum += (double)((i - index->slots[i].hash) & (index->n_slots - 1));
	return sum / (double)index->count;
}

/* Returns the inverse of an odd number modulo 2^64 (H. Warren, Hacker's Delight, 10-16). */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* Returns key i of a family: many hash functions give its members few different values. */
static struct pair hostile(unsigned family, uint64_t i)
{
	switch (family) {
	case 0: return (struct pair){ .value = i };
	case 1: return (struct pair){ .value = i << 32 };
	case 2: return (struct pair){ .value = i << 48 };
	case 3: /* Fibonacci hashing gives these the same low 44 bits */
		return (struct pair){ .value = inverse(0x9e3779b97f4a7c15) * (i << 44) };
	case 4: /* xor gives these the same value */
		return (struct pair){ .value = i << 40, .space = (uint32_t)i };
	case 5: return (struct pair){ .value = i, .space = (uint32_t)i, .operand = (uint32_t)i };
	case 6: /* a factor of wyhash64 is 0 without seeds, whatever the other is */
		return (struct pair){ .space = (uint32_t)i };
	default: return (struct pair){ .value = ~i };
	}
}

START_TEST(no_family_collides)
{
	HASH_TABLE(struct large) table = { 0 };

	for (uint64_t i = 0; i < MANY; i++)
		ck_assert_ptr_nonnull(TABLE_PUT(table, hostile((unsigned)_i, i)));
	ck_assert_uint_eq(table.count, MANY);
	ck_assert_uint_eq(table.any.index.n_slots, 2 * MANY);
	/* 0.5 is expected (D. E. Knuth, TAOCP 3, 6.4, theorem K) */
	ck_assert_double_lt(mean_distance(&table.any.index), 1);
	TABLE_FREE(table);
}
END_TEST

/* The seeds are random numbers, and every hash depends on all that it can. */
START_TEST(hashes_depend_on_the_seeds)
{
	static const uint64_t none[2] = { 0x8ebc6af09c88c6e3, 0x589965cc75374cc3 };
	uint64_t drawn[2], pair, bytes;

	ck_assert(memcmp(hash_seeds, none, sizeof(none)));
	memcpy(drawn, hash_seeds, sizeof(drawn));
	pair = hash_pair(1, 2);
	bytes = hash_bytes("text", 4);
	for (unsigned i = 0; i < 2; i++) {
		memcpy(hash_seeds, drawn, sizeof(drawn));
		hash_seeds[i] ^= UINT64_C(1) << 63;
		ck_assert_uint_ne(hash_pair(1, 2), pair);
		ck_assert(i || hash_bytes("text", 4) != bytes);
	}
	memcpy(hash_seeds, drawn, sizeof(drawn));
	ck_assert_uint_eq(hash_pair(1, 2), pair);
	ck_assert_uint_ne(hash_pair(2, 1), pair);
	ck_assert_uint_eq(hash_bytes("text", 4), bytes);
}
END_TEST

/* ---- no memory --------------------------------------------------------------------------- */

/* Whichever allocation fails, the table stays as it was, and later goes on. */
START_TEST(no_memory)
{
	HASH_TABLE(struct large) table = { 0 };
	unsigned refused = 0;

	for (unsigned i = 0; i < 1000; i++) {
		struct pair key = { i, i, 0 };

		for (unsigned n = 0; n < 2; n++) {
			allocations = (int)n;
			if (!TABLE_PUT(table, key)) {
				refused++;
				ck_assert_uint_eq(table.count, i);
				ck_assert_uint_eq(table.any.index.count, i);
				ck_assert_ptr_null(TABLE_FIND(table, key));
			}
			allocations = -1;
		}
		ck_assert_ptr_nonnull(TABLE_PUT(table, key));
	}
	ck_assert_uint_ge(refused, 10);
	ck_assert_uint_eq(table.count, 1000);
	for (unsigned i = 0; i < 1000; i++) {
		ck_assert_ptr_eq(TABLE_FIND(table, { i, i, 0 }), &table.at[i]);
	}
	TABLE_FREE(table);
}
END_TEST

/* Entries whose size times their number is no size_t are refused. */
START_TEST(too_large)
{
	struct hash_table table = { 0 };
	uint64_t key = 1;

	ck_assert_ptr_null(hash_table_add(&table, SIZE_MAX / 2, &key, sizeof(key), 1));
	ck_assert_uint_eq(table.count, 0);
	hash_table_free(&table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hash_table");
	TCase *table = tcase_create("hash_table");

	tcase_add_loop_test(table, as_a_list, 0, 5);
	tcase_add_test(table, long_keys);
	tcase_add_test(table, longest_keys);
	tcase_add_test(table, texts_by_an_index);
	tcase_add_loop_test(table, no_family_collides, 0, 8);
	tcase_add_test(table, hashes_depend_on_the_seeds);
	tcase_add_test(table, no_memory);
	tcase_add_test(table, too_large);
	suite_add_tcase(suite, table);
	return run_suite(suite);
}
