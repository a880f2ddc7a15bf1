/* SPDX-License-Identifier: MIT */
/* The growing ends of the columns that kernels.h writes, while a kernel has them in registers. */
#ifndef COLUMN_ENDS_H
#define COLUMN_ENDS_H

#include "traceformat/codings/kernels.h"
#include "traceformat/codings/residuals.h"
#include "traceformat/codings/slots.h"

/* The column slot-hits, as it is written. */
struct hit_bits {
	uint8_t *to;
	uint64_t bits;
	unsigned n;
};

static inline struct hit_bits hits_begin(const struct slot_encoder *e)
{
	return (struct hit_bits){ e->hits.data + e->hits.size, e->bits, e->n_bits };
}

static inline void hits_end(struct slot_encoder *e, const struct hit_bits *h)
{
	e->bits = h->bits;
	e->n_bits = h->n;
	e->hits.size = (size_t)(h->to - e->hits.data);
}

/* Appends up to 56 bits; the whole bytes are written, so that fewer than 8 are left. */
static inline void put_hits(struct hit_bits *h, uint64_t hits, unsigned count)
{
	h->bits |= hits << h->n;
	h->n += count;
	put_le64(h->to, h->bits);
	h->to += h->n / 8;
	h->bits >>= h->n & ~7u;
	h->n %= 8;
}

/* The columns miss-0 to miss-2 and miss-rest. */
struct plane_ends {
	uint8_t *a, *b, *c, *rest;
};

static inline struct plane_ends planes_begin(struct buffer planes[RESIDUAL_PLANES])
{
	return (struct plane_ends){
		planes[0].data + planes[0].size,
		planes[1].data + planes[1].size,
		planes[2].data + planes[2].size,
		planes[3].data + planes[3].size,
	};
}

static inline void planes_end(struct buffer planes[RESIDUAL_PLANES], const struct plane_ends *to)
{
	planes[0].size = (size_t)(to->a - planes[0].data);
	planes[1].size = (size_t)(to->b - planes[1].data);
	planes[2].size = (size_t)(to->c - planes[2].data);
	planes[3].size = (size_t)(to->rest - planes[3].data);
}

/* Appends to the last plane what the differences chosen by a mask have for it. */
static inline uint8_t *put_residual_rests(uint8_t *rest, const uint64_t *differences,
					  unsigned chosen)
{
	for (; chosen; chosen &= chosen - 1) {
		int64_t difference = (int64_t)differences[__builtin_ctz(chosen)];

		rest = write_varint(rest, zigzag(difference) >> RESIDUAL_REST_SHIFT);
	}
	return rest;
}

#endif
