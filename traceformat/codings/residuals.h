/* SPDX-License-Identifier: MIT */
/*
 * Residuals: the differences of slots from their predictions (FORMAT.md 5.3). They are svarints,
 * split so that bytes of like meaning stand together. Plane k holds byte k of each svarint that has
 * one; the last plane holds all further bytes.
 */
#ifndef RESIDUALS_H
#define RESIDUALS_H

#include "traceformat/codings/kernels.h"
#include "traceformat/common/bytes.h"
#include "traceformat/traceformat.h"

/* Appends n differences. False if memory is out. */
bool residuals_put(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences, size_t n);

/* True if each plane has as many bytes as the one before it asks for; `rest` is not looked at. */
bool residuals_fit(const struct buffer planes[RESIDUAL_PLANES]);

/*
 * Splits svarints that stand one after the other into planes. Returns 0, TF_E_DAMAGED or
 * TF_E_MEMORY.
 */
int residuals_spread(struct span *svarints, struct buffer planes[RESIDUAL_PLANES]);

/* Reads planes that residuals_fit. One byte after the end of each plane must be readable. */
struct residual_decoder {
	const uint8_t *at[RESIDUAL_PLANES - 1];
	const uint8_t *end; /* of the first plane */
	struct span rest;
	bool bad;
};

void residuals_decode_begin(struct residual_decoder *decoder,
			    const struct buffer planes[RESIDUAL_PLANES]);

/* True if nothing is left. */
static inline bool residuals_used_up(const struct residual_decoder *d)
{
	return d->at[0] == d->end && d->rest.at == d->rest.end;
}

static __attribute__((noinline, unused)) uint64_t take_residual_rest(struct residual_decoder *d)
{
	const uint8_t *from = d->rest.at;
	uint64_t v = take_varint(&d->rest);

	d->bad |= d->rest.bad || v >> (64 - RESIDUAL_REST_SHIFT) ||
		  d->rest.at - from > MAX_VARINT - (RESIDUAL_PLANES - 1);
	return v << RESIDUAL_REST_SHIFT;
}

/* Takes the next difference, without a branch on its length unless it is long. */
FORCE_INLINE uint64_t take_miss(struct residual_decoder *d)
{
	unsigned a, b, c;
	uint64_t v;

	if (d->at[0] == d->end) {
		d->bad = true;
		return 0;
	}
	a = *d->at[0]++;
	b = *d->at[1] & -(a >> 7);
	d->at[1] += a >> 7;
	c = *d->at[2] & -(b >> 7);
	d->at[2] += b >> 7;
	v = (a & 127) | (b & 127) << 7 | (c & 127) << 14;
	if (c >> 7)
		v |= take_residual_rest(d);
	return (uint64_t)unzigzag(v);
}

/* Steps over n differences. */
void skip_residuals(struct residual_decoder *decoder, uint64_t n);

#endif
