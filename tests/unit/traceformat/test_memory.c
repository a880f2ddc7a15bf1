/* SPDX-License-Identifier: MIT */
/* Tests memory that comes in pages, and arrays that grow: memory is zeroed, and keeps its contents. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "traceformat/common/array.h"
#include "traceformat/common/pages.h"
#include "traceformat/common/pool.h"
#include "tests/unit/random.h"
#include "tests/unit/run_suite.h"

static bool are_all(const uint8_t *bytes, size_t size, unsigned value)
{
	return bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

START_TEST(pages_are_zero)
{
	static const size_t sizes[] = { 4096, 5000, 1 << 20, 2 << 20, 6 << 20, (2 << 20) + 8 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *pages = pages_new(sizes[i]);

		ck_assert_ptr_nonnull(pages);
		ck_assert(are_all(pages, sizes[i], 0));
		memset(pages, 1, sizes[i]);
		pages_free(pages, sizes[i]);
	}
	pages_free(NULL, 4096);
	ck_assert_ptr_null(pages_new(SIZE_MAX / 4));
}
END_TEST

/* Used memory is present before it is touched, and keeps its contents. */
START_TEST(pages_are_provided)
{
	enum { SIZE = 1 << 20, PAGE = 4096, STEP = 1000 };
	uint8_t *mapping = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
	unsigned char resident[SIZE / PAGE];
	size_t ready = 0;

	ck_assert_ptr_ne(mapping, MAP_FAILED);
	for (size_t used = 0; used < SIZE; used += STEP) {
		pages_provide(mapping, SIZE, used, &ready);
		ck_assert_uint_ge(ready, used);
		ck_assert_uint_le(ready, SIZE);
		ck_assert_int_eq(mincore(mapping, SIZE, resident), 0);
		ck_assert_int_eq(resident[used / PAGE] & 1, 1);
		ck_assert(are_all(mapping, used + 1, 0));
	}
	ck_assert_uint_eq(ready, SIZE);
	memset(mapping, 1, SIZE);
	pages_provide(mapping, SIZE, SIZE, &ready);
	ck_assert(are_all(mapping, SIZE, 1));
	munmap(mapping, SIZE);
}
END_TEST

START_TEST(pieces_are_apart)
{
	enum { PIECES = 20000, LARGE = 5 << 20 };
	static struct {
		uint8_t *bytes;
		size_t size;
	} pieces[PIECES];
	struct pool pool = { 0 };
	uint64_t state = 1;
	size_t sum = 0;

	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < PIECES; i++) {
			size_t size = i % 5000 == 4999 ? LARGE : 1 + random_below(&state, 700);

			pieces[i].bytes = pool_alloc(&pool, size);
			pieces[i].size = size;
			sum += size;
			ck_assert_ptr_nonnull(pieces[i].bytes);
			ck_assert(are_all(pieces[i].bytes, size, 0));
			ck_assert_uint_eq((uintptr_t)pieces[i].bytes % sizeof(uint64_t), 0);
			memset(pieces[i].bytes, (int)(i % 251), size);
		}
		for (unsigned i = 0; i < PIECES; i++)
			ck_assert(are_all(pieces[i].bytes, pieces[i].size, i % 251));
		/* a chunk is hardly larger than what it must hold */
		ck_assert_uint_ge(pool.total, sum);
		ck_assert_uint_le(pool.total, sum + sum / 4);
		pool_free(&pool);
		ck_assert_ptr_null(pool.chunks);
		ck_assert_uint_eq(pool.total, 0);
		sum = 0;
	}
	ck_assert_ptr_null(pool_alloc(&pool, SIZE_MAX));
	pool_free(&pool);
}
END_TEST

START_TEST(arrays_grow)
{
	ARRAY(uint32_t) many = { 0 }, few = { 0 };
	size_t allocations = 0, capacity;

	for (uint32_t i = 0; i < 10000; i++) {
		capacity = many.capacity;
		ck_assert(RESERVE(many, many.count + 1));
		allocations += many.capacity != capacity;
		ck_assert_uint_eq(many.at[i], 0);
		many.at[many.count++] = i;
	}
	ck_assert_uint_le(allocations, 20);
	for (uint32_t i = 0; i < 10000; i++)
		ck_assert_uint_eq(many.at[i], i);
	ck_assert(RESERVE_EXACTLY(few, 2));
	ck_assert_uint_eq(few.capacity, 2);
	memset(few.at, 1, 2 * sizeof(*few.at));
	ck_assert(RESERVE_EXACTLY(few, 1));
	ck_assert_uint_eq(few.capacity, 2);
	ck_assert(RESERVE_EXACTLY(few, 5));
	ck_assert_uint_eq(few.capacity, 5);
	ck_assert(are_all((uint8_t *)few.at, 2 * sizeof(*few.at), 1));
	ck_assert(are_all((uint8_t *)(few.at + 2), 3 * sizeof(*few.at), 0));
	capacity = many.capacity;
	ck_assert(!RESERVE(many, SIZE_MAX / 2));
	ck_assert(!RESERVE(many, SIZE_MAX / sizeof(*many.at)));
	ck_assert(!RESERVE_EXACTLY(many, SIZE_MAX));
	ck_assert_uint_eq(many.capacity, capacity);
	free(many.at);
	free(few.at);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memory");
	TCase *tests = tcase_create("pages, pools and arrays");

	tcase_add_test(tests, pages_are_zero);
	tcase_add_test(tests, pages_are_provided);
	tcase_add_test(tests, pieces_are_apart);
	tcase_add_test(tests, arrays_grow);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
