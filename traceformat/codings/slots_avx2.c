/* SPDX-License-Identifier: MIT */
/*
 * Encodes four slots a step, as slots_avx512.c does, with tables in place of instructions that AVX2
 * lacks.
 */
#include <immintrin.h>

#include "traceformat/codings/column_ends.h"

#define AVX2 __attribute__((target("avx2,bmi2,popcnt")))

#define EACH_BYTE UINT64_C(0x0101010101010101)

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

/* Returns the low halves of eight numbers, in order. */
AVX2 static inline __m256i low_halves(__m256i first, __m256i second)
{
	__m256 pairs = _mm256_shuffle_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second),
					 _MM_SHUFFLE(2, 0, 2, 0));

	return _mm256_permute4x64_epi64(_mm256_castps_si256(pairs), _MM_SHUFFLE(3, 1, 2, 0));
}

AVX2 static inline __m256i zigzag_four(__m256i d)
{
	return _mm256_xor_si256(_mm256_slli_epi64(d, 1),
				_mm256_cmpgt_epi64(_mm256_setzero_si256(), d));
}

/*
 * Returns eight zigzag numbers in 32 bits. Numbers of more bits have their low bits, and the
 * highest one, so that they have a rest.
 */
AVX2 static inline __m256i clamped_zigzags(const uint64_t *differences)
{
	__m256i first = zigzag_four(_mm256_loadu_si256((const __m256i *)differences));
	__m256i second = zigzag_four(_mm256_loadu_si256((const __m256i *)(differences + LANES)));
	__m256i high = low_halves(_mm256_srli_epi64(first, 32), _mm256_srli_epi64(second, 32));
	__m256i fits = _mm256_cmpeq_epi32(high, _mm256_setzero_si256());

	return _mm256_or_si256(low_halves(first, second),
			       _mm256_andnot_si256(fits, _mm256_set1_epi32(INT32_MIN)));
}

/* Returns `flag` in the numbers that have bits from `shift` on. */
AVX2 static inline __m256i flag_larger(__m256i v, int shift, int32_t flag)
{
	__m256i none = _mm256_cmpeq_epi32(_mm256_srli_epi32(v, shift), _mm256_setzero_si256());

	return _mm256_andnot_si256(none, _mm256_set1_epi32(flag));
}

/* Returns the bytes of a plane that follow those bytes of the plane before that have bit 7 set. */
AVX2 static inline uint64_t following(uint64_t before, uint64_t plane)
{
	return _pext_u64(plane, (before >> 7 & EACH_BYTE) * 0xff);
}

AVX2 static inline unsigned continued(uint64_t plane)
{
	return (unsigned)__builtin_popcountll(plane & EACH_BYTE << 7);
}

/* Appends `count` differences, of eight that can be read. */
AVX2 FORCE_INLINE void put_eight(struct plane_ends *ends, const uint64_t *differences,
				 unsigned count)
{
	struct plane_ends at = *ends, *to = &at;
	const __m256i transposed = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7,
						    11, 15, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14,
						    3, 7, 11, 15);
	__m256i v = clamped_zigzags(differences), bytes;
	uint64_t a, b, c, rests;

	bytes = _mm256_or_si256(
		_mm256_or_si256(_mm256_and_si256(v, _mm256_set1_epi32(0x7f)),
				_mm256_slli_epi32(_mm256_and_si256(v, _mm256_set1_epi32(0x3f80)),
						  1)),
		_mm256_slli_epi32(_mm256_and_si256(v, _mm256_set1_epi32(0x1fc000)), 2));
	bytes = _mm256_or_si256(bytes, _mm256_or_si256(flag_larger(v, 7, 0x80),
						       flag_larger(v, 14, 0x8000)));
	bytes = _mm256_or_si256(bytes, flag_larger(v, RESIDUAL_REST_SHIFT, 0x800000));
	bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(bytes, transposed),
					    _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
	a = (uint64_t)_mm256_extract_epi64(bytes, 0);
	b = (uint64_t)_mm256_extract_epi64(bytes, 1);
	c = (uint64_t)_mm256_extract_epi64(bytes, 2);
	put_le64(to->a, a);
	put_le64(to->b, following(a, b));
	put_le64(to->c, following(b, c));
	to->a += count;
	to->b += continued(a);
	to->c += continued(b);
	rests = _pext_u64(c, EACH_BYTE << 7);
	if (rests)
		to->rest = put_residual_rests(to->rest, differences, (unsigned)rests);
	*ends = at;
}

AVX2 void put_residuals_avx2(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
			     size_t n)
{
	struct plane_ends to = planes_begin(planes);
	uint64_t last[2 * LANES] = { 0 };

	for (; n > 2 * LANES; n -= 2 * LANES, differences += 2 * LANES)
		put_eight(&to, differences, 2 * LANES);
	memcpy(last, differences, n * sizeof(*last));
	put_eight(&to, last, (unsigned)n);
	planes_end(planes, &to);
}
