/* SPDX-License-Identifier: MIT */
#include "analyzers/locality/recent.h"

#include <immintrin.h>
#include <string.h>

static void begin(int16_t *places, struct misses *misses)
{
	for (int i = 0; i < LRU_RECENT; i++)
		places[i] = (int16_t)i;
	misses->count = 0;
}

/* Notes that touch i is of a block that is not in the list. Returns the place of the block. */
static inline int16_t add_miss(struct misses *misses, uint64_t block, unsigned i, int16_t victim)
{
	unsigned k = misses->count++;

	misses->blocks[k] = block;
	misses->touches[k] = (uint16_t)i;
	misses->victims[k] = victim;
	return (int16_t)(LRU_RECENT + k);
}

/* ---- any processor ----------------------------------------------------------------------- */

/* Moves the list's entries before `position` down by one, for a new first one. */
static inline void move_down(uint64_t *recent, int16_t *places, unsigned position)
{
	for (; position > 0; position--) {
		recent[position] = recent[position - 1];
		places[position] = places[position - 1];
	}
}

static inline void touch_one(struct recent *list, uint64_t block, unsigned i, uint32_t *distances,
			     int16_t *places, struct misses *misses)
{
	uint64_t *recent = list->blocks;
	unsigned n = list->count, at = 0;
	int16_t place;

	while (at < n && recent[at] != block)
		at++;
	distances[i] = at;
	if (at < n) {
		place = places[at];
		move_down(recent, places, at);
	} else {
		place = add_miss(misses, block, i, n == LRU_RECENT ? places[n - 1] : -1);
		list->count = n += n < LRU_RECENT;
		move_down(recent, places, n - 1);
	}
	recent[0] = block;
	places[0] = misses->places[i] = place;
}

void recent_touch_plain(struct recent *recent, const uint64_t *blocks, unsigned count,
			uint32_t *distances, int16_t places[LRU_RECENT], struct misses *misses)
{
	begin(places, misses);
	for (unsigned i = 0; i < count; i++)
		touch_one(recent, blocks[i], i, distances, places, misses);
}

/* ---- AVX2 -------------------------------------------------------------------------------- */

/*
 * A full list whose blocks stay where they are; a touch changes their ranks. So no branch depends
 * on where in the list a block is. An entry has a number by which it stands in `blocks`, and
 * another, a lane, by which its byte stands in vectors of bytes.
 */
struct ranked {
	__m256i blocks[LRU_RECENT / 4];
	__m128i ranks;              /* bytes: 0 is the newest */
	int16_t places[LRU_RECENT]; /* by lane */
};

/* The lane of an entry, and the entry of a lane, as the packing in lanes_of arranges them. */
static const uint8_t lane_of_entry[] = { 0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15 };
static const uint8_t entry_of_lane[] = { 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15 };

#define AVX2 __attribute__((target("avx2,bmi")))

AVX2 static inline void rank(struct ranked *to, const struct recent *recent, const int16_t *places)
{
	uint8_t ranks[LRU_RECENT];

	for (unsigned i = 0; i < LRU_RECENT; i++) {
		ranks[lane_of_entry[i]] = (uint8_t)i;
		to->places[lane_of_entry[i]] = places[i];
	}
	memcpy(to->blocks, recent->blocks, sizeof(to->blocks));
	memcpy(&to->ranks, ranks, sizeof(ranks));
}

AVX2 static inline void unrank(const struct ranked *from, struct recent *recent, int16_t *places)
{
	uint64_t blocks[LRU_RECENT];
	uint8_t ranks[LRU_RECENT];

	memcpy(blocks, from->blocks, sizeof(blocks));
	memcpy(ranks, &from->ranks, sizeof(ranks));
	for (unsigned i = 0; i < LRU_RECENT; i++) {
		unsigned lane = lane_of_entry[i];

		recent->blocks[ranks[lane]] = blocks[i];
		places[ranks[lane]] = from->places[lane];
	}
}

/* Returns a byte of ones for the lane of the entry that is the block, if there is one. */
AVX2 static inline __m128i lanes_of(const struct ranked *r, uint64_t block)
{
	__m256i wanted = _mm256_set1_epi64x((long long)block);
	__m256i low = _mm256_packs_epi32(_mm256_cmpeq_epi64(r->blocks[0], wanted),
					 _mm256_cmpeq_epi64(r->blocks[1], wanted));
	__m256i high = _mm256_packs_epi32(_mm256_cmpeq_epi64(r->blocks[2], wanted),
					  _mm256_cmpeq_epi64(r->blocks[3], wanted));
	__m256i both = _mm256_packs_epi16(low, high);

	return _mm_packs_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
}

AVX2 static inline void replace(struct ranked *r, unsigned lane, uint64_t block)
{
	static const int64_t only[2 * LRU_RECENT] = { [LRU_RECENT - 1] = -1 };
	const int64_t *masks = only + LRU_RECENT - 1 - entry_of_lane[lane];
	__m256i fresh = _mm256_set1_epi64x((long long)block);

	for (unsigned i = 0; i < LRU_RECENT / 4; i++) {
		__m256i mask = _mm256_loadu_si256((const __m256i *)(masks + 4ul * i));

		r->blocks[i] = _mm256_blendv_epi8(r->blocks[i], fresh, mask);
	}
}

AVX2 static void touch_full(struct recent *recent, const uint64_t *blocks, unsigned from,
			    unsigned count, uint32_t *distances, int16_t *places,
			    struct misses *misses)
{
	const __m128i oldest = _mm_set1_epi8(LRU_RECENT - 1);
	struct ranked r;

	rank(&r, recent, places);
	for (unsigned i = from; i < count; i++) {
		__m128i is_touched = lanes_of(&r, blocks[i]), itself;
		unsigned mask = (unsigned)_mm_movemask_epi8(is_touched), lane;

		if (mask) {
			lane = (unsigned)__builtin_ctz(mask);
		} else {
			is_touched = _mm_cmpeq_epi8(r.ranks, oldest);
			lane = (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(is_touched));
			replace(&r, lane, blocks[i]);
			r.places[lane] = add_miss(misses, blocks[i], i, r.places[lane]);
		}
		misses->places[i] = r.places[lane];
		itself = _mm_shuffle_epi8(r.ranks, _mm_set1_epi8((char)lane));
		distances[i] = (uint32_t)_mm_extract_epi8(itself, 0);
		r.ranks = _mm_sub_epi8(r.ranks, _mm_cmpgt_epi8(itself, r.ranks));
		r.ranks = _mm_andnot_si128(is_touched, r.ranks);
	}
	unrank(&r, recent, places);
}

void recent_touch(struct recent *recent, const uint64_t *blocks, unsigned count,
		  uint32_t *distances, int16_t places[LRU_RECENT], struct misses *misses)
{
	unsigned i = 0;

	begin(places, misses);
	while (i < count && (recent->count < LRU_RECENT || !__builtin_cpu_supports("avx2"))) {
		touch_one(recent, blocks[i], i, distances, places, misses);
		i++;
	}
	if (i < count)
		touch_full(recent, blocks, i, count, distances, places, misses);
}
