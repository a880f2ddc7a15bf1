/* SPDX-License-Identifier: MIT */
/* Accesses of live objects, against an arena that has counters for each of its bytes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/program/heap_uses.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

enum { ARENA = 16384, OBJECTS = 40, STEPS = 30000, PROCESSES = 2 };

static const uint64_t arena_at = 0x7000; /* the address of each process's arena */

struct known {
	struct heap_object object;
	struct heap_use_sums sums; /* without those of bytes that were never accessed */
};

struct arena {
	struct known objects[OBJECTS];
	bool live[OBJECTS];
	int owner[ARENA]; /* index of the object + 1 */
	bool accessed[2][ARENA];
};

static struct arena arenas[PROCESSES];

static uint64_t random_size(uint64_t *random)
{
	static const unsigned most[] = { 8, 60, 600, 1100, 5000 };

	return random_below(random, most[random_below(random, 5)]);
}

static void begin(struct heap_uses *uses, uint32_t process, unsigned i, uint64_t *random)
{
	struct arena *arena = &arenas[process];
	uint64_t size = random_size(random), at = random_below(random, ARENA - 5000);

	if (random_chance(random, 80))
		at -= at % 16;
	for (uint64_t b = at; b < at + size; b++)
		if (arena->owner[b])
			return;
	for (uint64_t b = at; b < at + size; b++) {
		arena->owner[b] = (int)i + 1;
		arena->accessed[0][b] = arena->accessed[1][b] = false;
	}
	arena->live[i] = true;
	arena->objects[i] = (struct known){ .object = {
						    .address = arena_at + at,
						    .size = size,
						    .process = process,
						    .owner = i + process * OBJECTS,
					    } };
	heap_uses_begin(uses, &arena->objects[i].object, NULL);
}

/* Completes the known sums of an object. */
static const struct heap_use_sums *known_sums(struct arena *arena, unsigned i)
{
	struct known *known = &arena->objects[i];

	for (unsigned kind = 0; kind < 2; kind++) {
		known->sums.never[kind] = 0;
		known->sums.objects_never[kind] = known->object.size && !known->sums.accesses[kind];
		for (uint64_t b = 0; b < known->object.size; b++)
			known->sums.never[kind] +=
				!arena->accessed[kind][known->object.address - arena_at + b];
	}
	return &known->sums;
}

static void end(struct heap_uses *uses, uint32_t process, unsigned i)
{
	struct arena *arena = &arenas[process];
	struct known *known = &arena->objects[i];
	struct heap_use_sums sums = { 0 };

	heap_uses_end(uses, &known->object, &sums);
	ck_assert_mem_eq(&sums, known_sums(arena, i), sizeof(sums));
	memset(&arena->owner[known->object.address - arena_at], 0,
	       known->object.size * sizeof(*arena->owner));
	arena->live[i] = false;
}

/* Counts an access of bytes at .. at + size - 1 of the arena. one: only of the object at its begin. */
static void know(struct arena *arena, uint64_t at, uint64_t size, enum heap_use_kind kind, bool one)
{
	int first = arena->owner[at], latest = 0;

	for (uint64_t b = at; b < at + size && b < ARENA; b++) {
		int owner = arena->owner[b];

		if (one && owner != first)
			break;
		if (owner) {
			arena->objects[owner - 1].sums.accesses[kind] += owner != latest;
			arena->objects[owner - 1].sums.bytes[kind]++;
		}
		arena->accessed[kind][b] = true;
		latest = owner;
	}
}

static void access_some(struct heap_uses *uses, uint32_t process, uint64_t *random)
{
	enum heap_use_kind kind = random_below(random, 2) ? HEAP_READ : HEAP_WRITE;
	uint64_t at = random_below(random, ARENA);
	uint32_t size = 1 + random_below(random, 64);

	if (random_chance(random, 95)) {
		heap_uses_access(uses, process, arena_at + at, size, kind);
		know(&arenas[process], at, size, kind, false);
		return;
	}
	size = random_below(random, 4000);
	heap_uses_access_range(uses, process, arena_at + at, size, kind);
	know(&arenas[process], at, size, kind, true);
}

static void check_live(void *opaque, uint32_t owner, const struct heap_use_sums *sums)
{
	unsigned *n = opaque;

	ck_assert_mem_eq(sums, known_sums(&arenas[owner / OBJECTS], owner % OBJECTS),
			 sizeof(*sums));
	++*n;
}

START_TEST(as_counted_by_byte)
{
	struct heap_uses uses;
	uint64_t random = 1;
	unsigned n = 0, live = 0;

	heap_uses_init(&uses, PROCESSES);
	for (unsigned step = 0; step < STEPS; step++) {
		uint32_t process = random_below(&random, PROCESSES);
		unsigned i = random_below(&random, OBJECTS);

		access_some(&uses, process, &random);
		if (!random_chance(&random, 20))
			continue;
		if (arenas[process].live[i])
			end(&uses, process, i);
		else
			begin(&uses, process, i, &random);
	}
	for (unsigned i = 0; i < PROCESSES * OBJECTS; i++)
		live += arenas[i / OBJECTS].live[i % OBJECTS];
	heap_uses_visit_live(&uses, check_live, &n);
	ck_assert_uint_eq(n, live);
	ck_assert_uint_gt(n, 10);
	heap_uses_free(&uses);
}
END_TEST

/* An object of 2^46 bytes, and accesses of all of it, take little memory and time. */
START_TEST(huge_object)
{
	struct heap_uses uses;
	struct heap_object object = { .address = 16, .size = UINT64_C(1) << 46 };
	struct heap_use_sums sums = { 0 };

	heap_uses_init(&uses, 1);
	heap_uses_begin(&uses, &object, NULL);
	heap_uses_access_range(&uses, 0, 16, UINT64_MAX, HEAP_WRITE);
	heap_uses_access_range(&uses, 0, 1000, object.size - 2000, HEAP_READ);
	heap_uses_access(&uses, 0, UINT64_C(1) << 40, 8, HEAP_READ);
	heap_uses_access(&uses, 0, UINT64_MAX - 3, 8, HEAP_READ);
	heap_uses_end(&uses, &object, &sums);
	ck_assert_uint_eq(sums.never[HEAP_WRITE], 0);
	ck_assert_uint_eq(sums.never[HEAP_READ], 2000);
	heap_uses_free(&uses);
}
END_TEST

/* Differences from byte to byte add up to the accesses of each byte. */
START_TEST(by_offset)
{
	uint64_t changes[9][2] = { { 0 } };
	struct heap_offsets offsets = { 8, changes };
	struct heap_object object = { .address = 32, .size = 8 };
	struct heap_uses uses;

	heap_uses_init(&uses, 1);
	heap_uses_begin(&uses, &object, &offsets);
	heap_uses_access(&uses, 0, 32, 8, HEAP_READ);
	heap_uses_access(&uses, 0, 34, 2, HEAP_READ);
	heap_uses_access_object(&object, 4, HEAP_WRITE);
	heap_uses_end(&uses, &object, NULL);
	ck_assert_uint_eq(changes[0][HEAP_READ], 1);
	ck_assert_uint_eq(changes[2][HEAP_READ], 1);
	ck_assert_uint_eq(changes[4][HEAP_READ], UINT64_MAX);
	ck_assert_uint_eq(changes[0][HEAP_WRITE], 1);
	ck_assert_uint_eq(changes[4][HEAP_WRITE], UINT64_MAX);
	heap_uses_free(&uses);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("heap_uses");
	TCase *tests = tcase_create("heap_uses");

	suite_add_tcase(suite, tests);
	tcase_add_test(tests, as_counted_by_byte);
	tcase_add_test(tests, huge_object);
	tcase_add_test(tests, by_offset);
	return run_suite(suite);
}
