/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/locality/stream.h"
#include "tests/unit/run_suite.h"

#define COLD LRU_COLD

static struct lru_stack stack;

static void setup(void)
{
	lru_stack_init(&stack);
}

static void teardown(void)
{
	lru_stack_free(&stack);
}

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % limit;
}

/* ---- known sequences --------------------------------------------------------------------- */

START_TEST(small_sequences)
{
	static const struct {
		const char *blocks;
		uint32_t distances[10];
	} cases[] = {
		{ "abcaccbda", { COLD, COLD, COLD, 2, 1, 0, 2, COLD, 3 } },
		{ "aaaa", { COLD, 0, 0, 0 } },
		{ "ababab", { COLD, COLD, 1, 1, 1, 1 } },
		{ "abcddcba", { COLD, COLD, COLD, COLD, 0, 1, 2, 3 } },
		{ "abcbdda", { COLD, COLD, COLD, 1, COLD, 0, 3 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = strlen(cases[i].blocks);
		uint64_t blocks[10];
		uint32_t distances[10];

		for (size_t k = 0; k < n; k++)
			blocks[k] = cases[i].blocks[k] * 1000;
		lru_stack_free(&stack);
		lru_stack_init(&stack);
		lru_stack_touch(&stack, blocks, n, distances, NULL);
		ck_assert_mem_eq(distances, cases[i].distances, n * sizeof(*distances));
	}
}
END_TEST

/* Touches 0 .. n-1 again and again, so that each distance but the first ones is n - 1. */
static void touch_round(uint64_t n, uint64_t stride, uint32_t expected)
{
	uint64_t *blocks = calloc(n, sizeof(*blocks));
	uint32_t *distances = calloc(n, sizeof(*distances));

	for (uint64_t i = 0; i < n; i++)
		blocks[i] = i * stride;
	lru_stack_touch(&stack, blocks, n, distances, NULL);
	uint64_t as_expected = 0;

	for (uint64_t i = 0; i < n; i++)
		as_expected += distances[i] == expected;
	ck_assert_uint_eq(as_expected, n);
	free(blocks);
	free(distances);
}

/* Slots run out, and become more: 2^18 live ones are too many for the first 2^20. */
START_TEST(rounds)
{
	static const struct {
		uint64_t n, stride;
		int rounds;
	} cases[] = {
		{ 15, 1, 9 },
		{ 16, 1, 9 },
		{ 17, 1, 9 },
		{ 18, 1, 9 },
		{ 1000, 1ull << 50, 1100 },
		{ 300000, 1, 5 },
		{ 50000, 63, 25 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lru_stack_free(&stack);
		lru_stack_init(&stack);
		touch_round(cases[i].n, cases[i].stride, COLD);
		for (int round = 1; round < cases[i].rounds; round++)
			touch_round(cases[i].n, cases[i].stride, cases[i].n - 1);
		ck_assert_uint_eq(lru_stack_size(&stack), cases[i].n);
	}
}
END_TEST

/* ---- against a plain list ---------------------------------------------------------------- */

struct list {
	size_t count;
	uint64_t blocks[4096]; /* the newest first */
};

static uint32_t list_touch(struct list *list, uint64_t block)
{
	size_t at = 0;

	while (at < list->count && list->blocks[at] != block)
		at++;
	uint32_t distance = at < list->count ? at : COLD;

	list->count += at == list->count;
	memmove(list->blocks + 1, list->blocks, at * sizeof(*list->blocks));
	list->blocks[0] = block;
	return distance;
}

/* Now near, now far; blocks from all over the address space. */
static uint64_t random_block(unsigned n)
{
	uint64_t block = random_below(random_below(3) ? 1 + n / 20 : n);

	return block % 3 ? block : block * 0x9e3779b97f4a7c15;
}

START_TEST(as_a_list)
{
	static struct list list;
	uint64_t blocks[700], sorted[4096];
	uint32_t distances[700];

	for (int i = 0; i < 150; i++) {
		size_t count = 1 + random_below(700);

		for (size_t k = 0; k < count; k++)
			blocks[k] = random_block(40 + 20 * i);
		lru_stack_touch(&stack, blocks, count, distances, NULL);
		for (size_t k = 0; k < count; k++)
			ck_assert_uint_eq(distances[k], list_touch(&list, blocks[k]));
	}
	ck_assert_uint_eq(lru_stack_size(&stack), list.count);
	lru_stack_list(&stack, sorted);
	for (size_t k = 0; k < list.count; k++)
		ck_assert_uint_eq(sorted[k], list.blocks[list.count - 1 - k]);
}
END_TEST

/* The block that left the list of recent ones first has the first slot. */
START_TEST(oldest_in_list)
{
	enum { COUNT = LRU_RECENT + 3 };
	uint64_t blocks[COUNT], sorted[COUNT] = { 0 };
	uint32_t distances[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		blocks[i] = 1000 - 3 * i;
	lru_stack_touch(&stack, blocks, COUNT, distances, NULL);
	ck_assert_uint_eq(lru_stack_size(&stack), COUNT);
	lru_stack_list(&stack, sorted);
	ck_assert_mem_eq(sorted, blocks, sizeof(blocks));
}
END_TEST

/* ---- histograms -------------------------------------------------------------------------- */

START_TEST(bins)
{
	static struct distances d;

	for (uint64_t distance = 0; distance < UINT32_MAX; distance += 1 + distance / 97) {
		uint32_t one = distance;

		distances_clear(&d);
		distances_add(&d, &one, 1);
		uint32_t bin = d.n_bins - 1;

		ck_assert_uint_eq(d.bins[bin], 1);
		ck_assert_uint_le(distances_of_bin(bin), distance);
		ck_assert_uint_gt(distances_of_bin(bin + 1), distance);
	}
	ck_assert_uint_eq(distances_of_bin(DISTANCE_BINS), 1ull << 32);
}
END_TEST

START_TEST(buckets)
{
	static const uint32_t some[] = {
		0, 1, 2, 3, 4, 7, 8, (1 << 18) - 1, 1 << 18, COLD - 1, COLD
	};
	static struct distances d;
	uint64_t got[MICA_BUCKETS], expected[MICA_BUCKETS] = { 2, 2, 2, 1, [17] = 1, [18] = 2 };

	distances_add(&d, some, sizeof(some) / sizeof(some[0]));
	distances_to_buckets(&d, got);
	ck_assert_mem_eq(got, expected, sizeof(got));
	ck_assert_uint_eq(d.touches, 11);
	ck_assert_uint_eq(d.cold, 1);
}
END_TEST

/* Sizes that are no limits of bins; merged and cleared. */
START_TEST(caches)
{
	static const uint64_t sizes[] = {
		1, 3, EXACT_BINS - 1, EXACT_BINS, EXACT_BINS + 1, 500000, 1ull << 32, 1ull << 40
	};
	static struct distances d, other;
	uint64_t expected[8] = { 0 };

	for (size_t i = 0; i < 8; i++) {
		distances_add_cache(&d, sizes[i]);
		distances_add_cache(&other, sizes[i]);
	}
	for (int k = 0; k < 20000; k++) {
		uint32_t distance = random_below(2) ? random_below(5) : random_below(1 << 20);

		distance = k % 100 ? k % 50 ? distance : (uint32_t)(EXACT_BINS + k % 3) : COLD;
		distances_add(k % 2 ? &d : &other, &distance, 1);
		for (size_t i = 0; i < 8; i++)
			expected[i] += distance == COLD || distance >= sizes[i];
	}
	distances_merge(&d, &other);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(distances_misses(&d, i), expected[i]);
	distances_clear(&d);
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(distances_misses(&d, i), 0);
}
END_TEST

/* ---- streams ----------------------------------------------------------------------------- */

static struct distances distances_of(const struct access *accesses, size_t count, unsigned kinds,
				     unsigned shift)
{
	struct stream stream;

	stream_init(&stream, (struct stream_kind){ kinds, shift }, false);
	stream_feed(&stream, accesses, count);
	struct distances d = stream.distances;

	stream_free(&stream);
	return d;
}

START_TEST(accesses_of_several_blocks)
{
	static const struct access accesses[] = {
		{ 0, 4, ACCESS_READ },  { 60, 8, ACCESS_READ }, { 0, 4, ACCESS_WRITE },
		{ 64, 1, ACCESS_READ }, { 0, 1, ACCESS_READ },
	};
	static struct distances d;

	d = distances_of(accesses, 5, ACCESS_READ | ACCESS_WRITE, 6);
	ck_assert_uint_eq(d.touches, 6);
	ck_assert_uint_eq(d.cold, 2);
	ck_assert_uint_eq(d.bins[0], 1);
	ck_assert_uint_eq(d.bins[1], 3);
	d = distances_of(accesses, 5, ACCESS_READ, 6);
	ck_assert_uint_eq(d.touches, 5);
	ck_assert_uint_eq(d.cold, 2);
	ck_assert_uint_eq(d.bins[0], 2);
	ck_assert_uint_eq(d.bins[1], 1);
}
END_TEST

/* The last byte and the first one are neighbors. */
START_TEST(around_the_end_of_memory)
{
	static const struct access accesses[] = {
		{ UINT64_MAX, 2, ACCESS_READ },
		{ 0, 1, ACCESS_READ },
		{ 5, 0, ACCESS_READ },
		{ UINT64_MAX - 5, 1, ACCESS_READ },
	};

	for (unsigned shift = 0; shift < 64; shift += 9) {
		struct distances d = distances_of(accesses, 4, ACCESS_READ, shift);

		ck_assert_uint_eq(d.touches, 5);
		ck_assert_uint_eq(d.cold, shift ? 2 : 4);
	}
}
END_TEST

/* Parts on their own, put together, are the whole; and so is what follows. */
START_TEST(parts)
{
	enum { COUNT = 9000 };
	static struct access accesses[COUNT];
	struct stream_kind kind = { ACCESS_READ, 4 };
	static struct distances whole;

	for (size_t i = 0; i < COUNT; i++)
		accesses[i] = (struct access){ random_block(i / 5 + 1), 8, ACCESS_READ };
	whole = distances_of(accesses, COUNT, ACCESS_READ, 4);
	for (size_t n = 1; n < 6; n++) {
		struct stream streams[5];

		for (size_t i = 0; i < n; i++) {
			size_t from = COUNT * i / n, to = COUNT * (i + 1) / n;

			stream_init(&streams[i], kind, true);
			stream_feed(&streams[i], accesses + from, to - from);
		}
		for (size_t i = 1; i < n; i++)
			stream_append(&streams[0], &streams[i]);
		ck_assert_mem_eq(&streams[0].distances, &whole, sizeof(whole));
		ck_assert_uint_eq(streams[0].firsts.count, whole.cold);
		for (size_t i = 0; i < n; i++)
			stream_free(&streams[i]);
	}
}
END_TEST

/* Each block has one number, and no two have the same, also while the table grows. */
START_TEST(refs)
{
	enum { BLOCKS = 20000, TOUCHES = 700 };
	static uint32_t ref_of[BLOCKS], block_of[BLOCKS * LRU_LEAF_BLOCKS];
	uint64_t blocks[TOUCHES];
	uint32_t distances[TOUCHES], numbers[TOUCHES];

	for (int i = 0; i < 300; i++) {
		for (size_t k = 0; k < TOUCHES; k++)
			blocks[k] = random_below(i < 150 ? 50 : BLOCKS) * 7;
		lru_stack_touch(&stack, blocks, TOUCHES, distances, numbers);
		for (size_t k = 0; k < TOUCHES; k++) {
			uint32_t block = blocks[k] / 7;

			ck_assert_uint_lt(numbers[k], lru_stack_refs(&stack));
			if (distances[k] == COLD) {
				ck_assert_uint_eq(block_of[numbers[k]], 0);
				block_of[numbers[k]] = block + 1;
				ref_of[block] = numbers[k];
			}
			ck_assert_uint_eq(ref_of[block], numbers[k]);
			ck_assert_uint_eq(block_of[numbers[k]], block + 1);
		}
	}
}
END_TEST

/* ---- the list of recent blocks ----------------------------------------------------------- */

/* With AVX2, where the processor has it, the list is the same as without. */
START_TEST(recent_blocks)
{
	struct recent fast = { 0 }, plain = { 0 };
	uint64_t blocks[LRU_BATCH];
	uint32_t distances[2][LRU_BATCH] = { 0 };
	int16_t places[2][LRU_RECENT];
	static struct misses misses[2];

	for (unsigned round = 0; round < 500; round++) {
		unsigned count = 1 + random_below(round < 20 ? 5 : LRU_BATCH);
		uint64_t distinct = 2 + random_below(40);

		for (unsigned i = 0; i < count; i++)
			blocks[i] = random_below(distinct) - random_below(2);
		recent_touch(&fast, blocks, count, distances[0], places[0], &misses[0]);
		recent_touch_plain(&plain, blocks, count, distances[1], places[1], &misses[1]);
		ck_assert_uint_eq(fast.count, plain.count);
		ck_assert_mem_eq(fast.blocks, plain.blocks, plain.count * sizeof(*plain.blocks));
		ck_assert_mem_eq(places[0], places[1], plain.count * sizeof(*places[0]));
		ck_assert_uint_eq(misses[0].count, misses[1].count);
		for (unsigned k = 0; k < misses[1].count; k++) {
			ck_assert_uint_eq(misses[0].blocks[k], misses[1].blocks[k]);
			ck_assert_uint_eq(misses[0].touches[k], misses[1].touches[k]);
			ck_assert_int_eq(misses[0].victims[k], misses[1].victims[k]);
		}
		for (unsigned i = 0; i < count; i++) {
			ck_assert_int_eq(misses[0].places[i], misses[1].places[i]);
			if (misses[1].places[i] < LRU_RECENT)
				ck_assert_uint_eq(distances[0][i], distances[1][i]);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stack distance");
	TCase *stacks = tcase_create("stacks"), *streams = tcase_create("streams");

	tcase_add_checked_fixture(stacks, setup, teardown);
	tcase_add_test(stacks, small_sequences);
	tcase_add_test(stacks, rounds);
	tcase_add_test(stacks, as_a_list);
	tcase_add_test(stacks, oldest_in_list);
	tcase_add_test(stacks, refs);
	tcase_add_test(stacks, recent_blocks);
	suite_add_tcase(suite, stacks);
	tcase_add_test(streams, bins);
	tcase_add_test(streams, buckets);
	tcase_add_test(streams, caches);
	tcase_add_test(streams, accesses_of_several_blocks);
	tcase_add_test(streams, around_the_end_of_memory);
	tcase_add_test(streams, parts);
	suite_add_tcase(suite, streams);
	return run_suite(suite);
}
