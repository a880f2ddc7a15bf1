/* SPDX-License-Identifier: MIT */
#include "traceformat/codings/residuals.h"

#include "traceformat/codings/kernels.h"

bool residuals_put(struct buffer planes[RESIDUAL_PLANES], const uint64_t *differences, size_t n)
{
	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		if (!buffer_reserve(&planes[i],
				    n * (i == RESIDUAL_PLANES - 1 ? MAX_VARINT : 1) + SPAN_SLACK))
			return false;
	kernels()->put_residuals(planes, differences, n);
	return true;
}

/* Returns how many of n bytes are not the last of their varint. */
static size_t continued_bytes(const uint8_t *bytes, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t count = 0;

	for (; n >= 8; n -= 8, bytes += 8)
		count += (get_le64(bytes) >> 7 & ones) * ones >> 56;
	for (; n; n--)
		count += *bytes++ >> 7;
	return count;
}

static size_t continued(const struct buffer *plane)
{
	return continued_bytes(plane->data, plane->size);
}

bool residuals_fit(const struct buffer planes[RESIDUAL_PLANES])
{
	return planes[1].size == continued(&planes[0]) && planes[2].size == continued(&planes[1]);
}

int residuals_spread(struct span *svarints, struct buffer planes[RESIDUAL_PLANES])
{
	uint64_t differences[64];

	while (svarints->at < svarints->end) {
		size_t n = 0;

		while (n < 64 && svarints->at < svarints->end)
			differences[n++] = (uint64_t)take_svarint(svarints);
		if (svarints->bad)
			return TF_E_DAMAGED;
		if (!residuals_put(planes, differences, n))
			return TF_E_MEMORY;
	}
	return 0;
}

void residuals_decode_begin(struct residual_decoder *d, const struct buffer planes[RESIDUAL_PLANES])
{
	*d = (struct residual_decoder){ 0 };
	for (unsigned i = 0; i < RESIDUAL_PLANES - 1; i++)
		d->at[i] = span_of(planes[i].data, planes[i].size).at;
	d->end = d->at[0] + planes[0].size;
	d->rest = span_of(planes[RESIDUAL_PLANES - 1].data, planes[RESIDUAL_PLANES - 1].size);
}

void skip_residuals(struct residual_decoder *d, uint64_t n)
{
	if (n > (uint64_t)(d->end - d->at[0])) {
		d->bad = true;
		return;
	}
	for (unsigned i = 0; i < RESIDUAL_PLANES - 1; i++) {
		uint64_t more = continued_bytes(d->at[i], n);

		d->at[i] += n;
		n = more;
	}
	for (; n; n--)
		take_residual_rest(d);
}
