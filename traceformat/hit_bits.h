/* SPDX-License-Identifier: MIT */
/* What the vector variants of kernels.h share. */
#ifndef HIT_BITS_H
#define HIT_BITS_H

#include "misses.h"

/* The column slot-hits, as it is written. */
struct hit_bits {
	uint8_t *to;
	uint64_t bits;
	unsigned n;
};

/* Appends up to 63 bits. */
static inline void put_hits(struct hit_bits *h, uint64_t hits, unsigned count)
{
	h->bits |= hits << h->n;
	h->n += count;
	put_le64(h->to, h->bits);
	if (h->n >= 64) {
		h->to += 8;
		h->n -= 64;
		h->bits = hits >> (count - h->n);
	}
}

/* Appends to the last plane what the differences chosen by a mask have for it. */
static inline uint8_t *put_miss_rests(uint8_t *rest, const uint64_t *differences, unsigned chosen)
{
	for (; chosen; chosen &= chosen - 1) {
		int64_t difference = (int64_t)differences[__builtin_ctz(chosen)];

		rest = write_varint(rest, zigzag(difference) >> MISS_REST_SHIFT);
	}
	return rest;
}

#endif
