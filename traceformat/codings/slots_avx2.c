/* SPDX-License-Identifier: MIT */
/*
 * Encodes four slots a step, as slots_avx512.c does, with tables in place of instructions that AVX2
 * lacks.
 */
#include <immintrin.h>

#include "traceformat/codings/column_ends.h"

#define AVX2 __attribute__((target("avx2,bmi2,popcnt")))

enum {
	LANES = 4,
	MOST = 56, /* slots whose hits put_hits() takes at once */
};

/* For each mask of chosen lanes, the indices of their 32-bit halves, first to last. */
/* clang-format off */
static const uint32_t chosen_halves[1 << LANES][2 * LANES] = {
	{ 0 }, { 0, 1 }, { 2, 3 }, { 0, 1, 2, 3 }, { 4, 5 }, { 0, 1, 4, 5 }, { 2, 3, 4, 5 },
	{ 0, 1, 2, 3, 4, 5 }, { 6, 7 }, { 0, 1, 6, 7 }, { 2, 3, 6, 7 }, { 0, 1, 2, 3, 6, 7 },
	{ 4, 5, 6, 7 }, { 0, 1, 4, 5, 6, 7 }, { 2, 3, 4, 5, 6, 7 }, { 0, 1, 2, 3, 4, 5, 6, 7 },
};
/* clang-format on */

/* Returns lanes 0 to count - 1 with all bits set. */
AVX2 static inline __m256i first_lanes(unsigned count)
{
	static const int64_t lanes[2 * LANES] = { -1, -1, -1, -1 };

	return _mm256_loadu_si256((const __m256i *)(lanes + LANES - count));
}

AVX2 static inline __m128i first_ints(unsigned count)
{
	static const int32_t lanes[2 * LANES] = { -1, -1, -1, -1 };

	return _mm_loadu_si128((const __m128i *)(lanes + LANES - count));
}

AVX2 static inline unsigned lane_mask(__m256i lanes)
{
	return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(lanes));
}

/*
 * Takes the values of the sources: earlier slots of this step, or the last values of other slots.
 */
AVX2 static inline __m256i take_sources(__m256i from, __m256i value, __m128i source,
					const uint64_t *last, unsigned count)
{
	__m128i at = _mm_add_epi32(source, _mm_setr_epi32(0, 1, 2, 3));
	__m128i itself = _mm_cmpeq_epi32(source, _mm_setzero_si128());
	__m128i inside = _mm_andnot_si128(_mm_cmpgt_epi32(_mm_setzero_si128(), at),
					  _mm_cmplt_epi32(at, _mm_set1_epi32((int)count)));
	__m128i here = _mm_andnot_si128(itself, inside);
	__m128i elsewhere = _mm_andnot_si128(_mm_or_si128(itself, here), _mm_set1_epi32(-1));
	__m256i low_half = _mm256_slli_epi64(_mm256_cvtepu32_epi64(at), 1);
	__m256i halves = _mm256_or_si256(
		low_half, _mm256_slli_epi64(_mm256_add_epi64(low_half, _mm256_set1_epi64x(1)), 32));

	from = _mm256_mask_i32gather_epi64(from, (const long long *)last, at,
					   _mm256_cvtepi32_epi64(elsewhere), 8);
	return _mm256_blendv_epi8(from, _mm256_permutevar8x32_epi32(value, halves),
				  _mm256_cvtepi32_epi64(here));
}

AVX2 static inline uint64_t *encode_few(struct slot_states *s, uint32_t base, unsigned count,
					const uint64_t *slots, uint64_t *to, unsigned *hits)
{
	__m256i all = first_lanes(count), difference;
	__m256i *lasts = (__m256i *)(s->last + base), *strides = (__m256i *)(s->stride + base);
	__m256i value = _mm256_maskload_epi64((const long long *)slots, all);
	__m256i last = _mm256_load_si256(lasts), from = last, stride = _mm256_load_si256(strides);
	__m128i source = _mm_load_si128((const __m128i *)(s->source + base));
	unsigned hit, miss;

	source = _mm_and_si128(source, first_ints(count));
	if (!_mm_testz_si128(source, source))
		from = take_sources(from, value, source, s->last + base, count);
	difference = _mm256_sub_epi64(value, from);
	hit = lane_mask(_mm256_and_si256(all, _mm256_cmpeq_epi64(difference, stride)));
	miss = lane_mask(all) & ~hit;
	_mm256_store_si256(lasts, _mm256_blendv_epi8(last, value, all));
	_mm256_store_si256(strides, _mm256_blendv_epi8(stride, difference, all));
	_mm256_storeu_si256((__m256i *)to,
			    _mm256_permutevar8x32_epi32(
				    difference,
				    _mm256_loadu_si256((const __m256i *)chosen_halves[miss])));
	*hits = hit;
	return to + __builtin_popcount(miss);
}

/* Encodes up to MOST slots. */
AVX2 static inline uint64_t *encode_many(struct slot_states *s, uint32_t base, unsigned count,
					 const uint64_t *slots, uint64_t *to, struct hit_bits *hits)
{
	uint64_t all = 0;
	unsigned i = 0, hit;

	for (; count - i > LANES; i += LANES) {
		to = encode_few(s, base + i, LANES, slots + i, to, &hit);
		all |= (uint64_t)hit << i;
	}
	to = encode_few(s, base + i, count - i, slots + i, to, &hit);
	put_hits(hits, all | (uint64_t)hit << i, count);
	return to;
}

AVX2 size_t encode_slots_avx2(struct slot_encoder *e, const struct slot_record *records, unsigned n,
			      uint64_t *differences)
{
	struct hit_bits hits = hits_begin(e);
	struct slot_states states = e->states;
	uint64_t *to = differences;

	for (const struct slot_record *r = records; r < records + n; r++) {
		struct slot_record left = *r;

		for (; left.count > MOST; left.base += MOST, left.slots += MOST, left.count -= MOST)
			to = encode_many(&states, left.base, MOST, left.slots, to, &hits);
		to = encode_many(&states, left.base, left.count, left.slots, to, &hits);
	}
	hits_end(e, &hits);
	return (size_t)(to - differences);
}

/* Returns the mask of lanes that are not 0. */
AVX2 static inline unsigned not_zero(__m256i v)
{
	return lane_mask(_mm256_cmpeq_epi64(v, _mm256_setzero_si256())) ^ 0xf;
}

/* Stores bits 0 to 6 of the chosen lanes as bytes, with bit 7 where more follows. */
AVX2 static inline uint8_t *put_plane(uint8_t *to, __m256i v, unsigned chosen, unsigned more)
{
	const uint32_t ones = 0x01010101, high = _pdep_u32(more, ones) << 7;
	/*
	 * Picks byte 0 of each lane: lanes 0 and 1 go to the low half, lanes 2 and 3 to the high
	 * half.
	 */
	const __m256i pick = _mm256_setr_epi32((int)0x80800800, -1, -1, -1, 0x08008080, -1, -1, -1);
	__m256i pairs = _mm256_shuffle_epi8(v, pick);
	uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(
		_mm_or_si128(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1)));

	put_le32(to, _pext_u32((bytes & 0x7f7f7f7f) | high, _pdep_u32(chosen, ones) * 0xff));
	return to + __builtin_popcount(chosen);
}

AVX2 void put_residuals_avx2(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
			     size_t n)
{
	struct plane_ends to = planes_begin(planes);

	for (size_t i = 0; i < n; i += LANES) {
		unsigned count = n - i < LANES ? (unsigned)(n - i) : LANES, all = (1u << count) - 1;
		__m256i d = _mm256_maskload_epi64((const long long *)differences + i,
						  first_lanes(count));
		__m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), d);
		__m256i v = _mm256_xor_si256(_mm256_slli_epi64(d, 1), sign);
		__m256i v7 = _mm256_srli_epi64(v, 7), v14 = _mm256_srli_epi64(v, 14);
		unsigned more_a = not_zero(v7), more_b = not_zero(v14);
		unsigned more_c = not_zero(_mm256_srli_epi64(v, RESIDUAL_REST_SHIFT));

		to.a = put_plane(to.a, v, all, more_a);
		to.b = put_plane(to.b, v7, more_a, more_b);
		to.c = put_plane(to.c, v14, more_b, more_c);
		if (more_c)
			to.rest = put_residual_rests(to.rest, differences + i, more_c);
	}
	planes_end(planes, &to);
}
