/* SPDX-License-Identifier: MIT */
/* Encodes one slot a step, on every processor. */
#include "traceformat/codings/column_ends.h"

/* Avoids branches that depend on a slot's value, because they would be mispredicted. */
size_t encode_slots_scalar(struct slot_encoder *e, const struct slot_record *records, unsigned n,
			   uint64_t *differences)
{
	uint8_t *hits = e->hits.data + e->hits.size;
	uint64_t bits = e->bits, *to = differences;
	unsigned n_bits = e->n_bits;

	for (const struct slot_record *r = records; r < records + n; r++) {
		uint64_t *last = e->states.last + r->base, *stride = e->states.stride + r->base;
		const int32_t *source = e->states.source + r->base;

		for (unsigned i = 0; i < r->count; i++) {
			uint64_t difference = r->slots[i] - last[(int32_t)i + source[i]];
			uint64_t hit = difference == stride[i];

			last[i] = r->slots[i];
			stride[i] = *to = difference;
			to += !hit;
			bits |= hit << n_bits;
			if (++n_bits == 64) {
				put_le64(hits, bits);
				hits += 8;
				bits = n_bits = 0;
			}
		}
	}
	e->bits = bits;
	e->n_bits = n_bits;
	e->hits.size = (size_t)(hits - e->hits.data);
	return (size_t)(to - differences);
}

void put_residuals_scalar(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences,
			  size_t n)
{
	struct plane_ends to = planes_begin(planes);

	for (size_t i = 0; i < n; i++) {
		uint64_t v = zigzag((int64_t)differences[i]);
		bool more_a = v >> 7, more_b = v >> 14, more_c = v >> RESIDUAL_REST_SHIFT;

		*to.a++ = (uint8_t)((v & 127) | more_a << 7);
		*to.b = (uint8_t)((v >> 7 & 127) | more_b << 7);
		to.b += more_a;
		*to.c = (uint8_t)((v >> 14 & 127) | more_c << 7);
		to.c += more_b;
		if (more_c)
			to.rest = write_varint(to.rest, v >> RESIDUAL_REST_SHIFT);
	}
	planes_end(planes, &to);
}
