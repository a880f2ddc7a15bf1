/* SPDX-License-Identifier: MIT */
/* How payloads are compressed: the codec, the size, and the same bytes again. */
#include <zstd.h>

#include "tests/unit/run_suite.h"
#include "traceformat/file/section.h"

enum { SIZE = 768 << 10 }; /* more than level 1 looks back */

static uint8_t data[2 * SIZE], again[2 * SIZE];

static void fill_random(uint8_t *to, size_t size)
{
	uint64_t state = 1;

	for (size_t i = 0; i < size; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		to[i] = (uint8_t)(state >> 56);
	}
}

/* Encodes and decodes `size` bytes of data. Returns the stored size. */
static size_t check_encoded(int level, size_t size, enum codec codec)
{
	ZSTD_CCtx *compressor = ZSTD_createCCtx();
	void *decompressor = NULL;
	struct buffer stored = { 0 };
	size_t stored_size;

	ck_assert_ptr_nonnull(compressor);
	ck_assert_int_eq(payload_encode(compressor, level, data, size, &stored), codec);
	ck_assert(!stored.failed);
	ck_assert_int_eq(payload_decode(&decompressor, codec, stored.data, stored.size, again,
					size),
			 0);
	ck_assert_mem_eq(data, again, size);
	stored_size = stored.size;
	buffer_free(&stored);
	ZSTD_freeCCtx(compressor);
	ZSTD_freeDCtx(decompressor);
	return stored_size;
}

START_TEST(random_is_stored)
{
	static const int levels[] = { -50, 1, 3 };

	fill_random(data, SIZE);
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		ck_assert_uint_eq(check_encoded(levels[i], SIZE, CODEC_STORED), SIZE);
}
END_TEST

/* A program makes such a payload if it walks through a large structure again and again. */
START_TEST(far_repetitions_are_found)
{
	fill_random(data, SIZE);
	memcpy(data + SIZE, data, SIZE);
	ck_assert_uint_lt(check_encoded(1, sizeof(data), CODEC_ZSTD), SIZE + SIZE / 8);
}
END_TEST

/* Half of the second part is that of the first one. */
START_TEST(stretches_are_found)
{
	enum { STRETCH = 4096 };

	fill_random(data, sizeof(data));
	for (size_t i = 0; i < SIZE; i += 2 * STRETCH)
		memcpy(data + SIZE + i, data + i, STRETCH);
	ck_assert_uint_lt(check_encoded(1, sizeof(data), CODEC_ZSTD), 2 * SIZE - SIZE * 3 / 8);
}
END_TEST

START_TEST(fast_levels_compress)
{
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(i % 1000 / 10);
	ck_assert_uint_lt(check_encoded(-50, SIZE, CODEC_ZSTD), SIZE / 2);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("payload");
	TCase *t = tcase_create("payload");

	tcase_add_test(t, random_is_stored);
	tcase_add_test(t, far_repetitions_are_found);
	tcase_add_test(t, stretches_are_found);
	tcase_add_test(t, fast_levels_compress);
	suite_add_tcase(s, t);
	return run_suite(s);
}
