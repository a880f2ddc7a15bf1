/* SPDX-License-Identifier: MIT */
/*
 * Encodes eight slots a step. A record's length and hits are masks, so no branch depends on them.
 * States are loaded and stored as whole lines, because a load that follows a masked store has to
 * wait until the store is done.
 */
#include <immintrin.h>

#include "traceformat/codings/column_ends.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))

/*
 * Takes the values of the sources: earlier slots of this step, or the last values of other slots.
 */
AVX512 static inline __m512i take_sources(__m512i from, __m512i value, __m256i source,
					  __mmask8 sourced, const uint64_t *last, unsigned count)
{
	__m256i at = _mm256_add_epi32(source, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	__mmask8 here = _mm256_mask_cmplt_epu32_mask(sourced, at, _mm256_set1_epi32((int)count));

	from = _mm512_mask_i32gather_epi64(from, sourced & (__mmask8)~here, at, last, 8);
	return _mm512_mask_permutexvar_epi64(from, here, _mm512_cvtepi32_epi64(at), value);
}

/* Encodes up to eight slots. */
AVX512 static inline uint64_t *encode_few(struct slot_states *s, uint32_t base, unsigned count,
					  const uint64_t *slots, uint64_t *to,
					  struct hit_bits *hits)
{
	__mmask8 all = (__mmask8)((1u << count) - 1), sourced, hit, miss;
	__m512i value = _mm512_maskz_loadu_epi64(all, slots);
	__m512i last = _mm512_load_si512(s->last + base), from = last, difference;
	__m512i stride = _mm512_load_si512(s->stride + base);
	__m256i source = _mm256_load_si256((const __m256i *)(s->source + base));

	sourced = _mm256_mask_test_epi32_mask(all, source, source);
	if (sourced)
		from = take_sources(from, value, source, sourced, s->last + base, count);
	_mm512_store_si512(s->last + base, _mm512_mask_mov_epi64(last, all, value));
	difference = _mm512_sub_epi64(value, from);
	hit = _mm512_mask_cmpeq_epi64_mask(all, difference, stride);
	miss = all & (__mmask8)~hit;
	_mm512_store_si512(s->stride + base, _mm512_mask_mov_epi64(stride, miss, difference));
	_mm512_storeu_si512(to, _mm512_maskz_compress_epi64(miss, difference));
	put_hits(hits, hit, count);
	return to + __builtin_popcount(miss);
}

AVX512 size_t encode_slots_avx512(struct slot_encoder *e, const struct slot_record *records,
				  unsigned n, uint64_t *differences)
{
	struct hit_bits hits = hits_begin(e);
	struct slot_states states = e->states;
	uint64_t *to = differences;

	for (const struct slot_record *r = records; r < records + n; r++) {
		struct slot_record left = *r;

		for (; left.count > 8; left.base += 8, left.slots += 8, left.count -= 8)
			to = encode_few(&states, left.base, 8, left.slots, to, &hits);
		to = encode_few(&states, left.base, left.count, left.slots, to, &hits);
	}
	hits_end(e, &hits);
	return (size_t)(to - differences);
}

/* Stores bits 0 to 6 of the chosen lanes as bytes, with bit 7 set where more bytes follow. */
AVX512 static inline uint8_t *put_plane(uint8_t *to, __m512i v, __mmask8 chosen, __mmask8 more)
{
	__m512i low = _mm512_and_si512(v, _mm512_set1_epi64(127));
	__m512i bytes = _mm512_mask_or_epi64(low, more, low, _mm512_set1_epi64(128));

	_mm_storeu_si64(to, _mm512_cvtepi64_epi8(_mm512_maskz_compress_epi64(chosen, bytes)));
	return to + __builtin_popcount(chosen);
}

AVX512 void put_residuals_avx512(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
				 size_t n)
{
	struct plane_ends to = planes_begin(planes);

	for (size_t i = 0; i < n; i += 8) {
		__mmask8 all = n - i < 8 ? (__mmask8)((1u << (n - i)) - 1) : 0xff;
		__m512i d = _mm512_maskz_loadu_epi64(all, differences + i);
		__m512i v = _mm512_xor_si512(_mm512_slli_epi64(d, 1), _mm512_srai_epi64(d, 63));
		__m512i v7 = _mm512_srli_epi64(v, 7), v14 = _mm512_srli_epi64(v, 14);
		__m512i v21 = _mm512_srli_epi64(v, RESIDUAL_REST_SHIFT);
		__mmask8 more_a = _mm512_test_epi64_mask(v7, v7);
		__mmask8 more_b = _mm512_test_epi64_mask(v14, v14);
		__mmask8 more_c = _mm512_test_epi64_mask(v21, v21);

		to.a = put_plane(to.a, v, all, more_a);
		to.b = put_plane(to.b, v7, more_a, more_b);
		to.c = put_plane(to.c, v14, more_b, more_c);
		if (more_c)
			to.rest = put_residual_rests(to.rest, differences + i, more_c);
	}
	planes_end(planes, &to);
}
