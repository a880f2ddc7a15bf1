/* SPDX-License-Identifier: MIT */
#include "traceformat/codings/slots.h"

#include "traceformat/codings/kernels.h"
#include "traceformat/common/pages.h"

static bool grow(struct slot_states *s, size_t count)
{
	size_t some = count + count / 2 + 4096, room = some - some % SLOT_STATES_LINE;
	const struct page_array arrays[] = {
		{ (void **)&s->last, sizeof(*s->last) },
		{ (void **)&s->stride, sizeof(*s->stride) },
		{ (void **)&s->source, sizeof(*s->source) },
		{ (void **)&s->needed, sizeof(*s->needed) },
	};

	if (!page_arrays_extend(arrays, 4, s->count, room))
		return false;
	s->count = room;
	return true;
}

/* Is called for each execution; there is room nearly always. */
bool slot_states_extend(struct slot_states *s, size_t count)
{
	return (s->source && count <= s->count) || grow(s, count);
}

/* Zeroes the states. States that a chunk does not touch cost neither time nor memory. */
bool slot_states_reset(struct slot_states *s, size_t count)
{
	pages_reset(s->last, s->count * sizeof(*s->last));
	pages_reset(s->stride, s->count * sizeof(*s->stride));
	if (s->sourced)
		pages_reset(s->source, s->count * sizeof(*s->source));
	if (s->any_needed)
		pages_reset(s->needed, s->count * sizeof(*s->needed));
	s->sourced = s->any_needed = false;
	return slot_states_extend(s, count);
}

void slot_states_clear(struct slot_states *s, size_t base, size_t count)
{
	memset(s->last + base, 0, count * sizeof(*s->last));
	memset(s->stride + base, 0, count * sizeof(*s->stride));
}

void slot_states_free(struct slot_states *s)
{
	pages_free(s->last, s->count * sizeof(*s->last));
	pages_free(s->stride, s->count * sizeof(*s->stride));
	pages_free(s->source, s->count * sizeof(*s->source));
	pages_free(s->needed, s->count * sizeof(*s->needed));
	*s = (struct slot_states){ 0 };
}

static bool encode(struct slot_encoder *e, const struct slot_record *records, unsigned n,
		   size_t n_slots)
{
	uint64_t differences[SPAN_SLOTS + SPAN_SLACK];

	e->n_slots += n_slots;
	return buffer_reserve(&e->hits, n_slots / 8 + 16) &&
	       residuals_put(e->residuals, differences,
			     kernels()->encode_slots(e, records, n, differences));
}

/* Encodes a record that is too long for one step. */
static bool encode_long(struct slot_encoder *e, struct slot_record record)
{
	while (record.count > SPAN_SLOTS) {
		struct slot_record part = record;

		part.count = SPAN_SLOTS;
		if (!encode(e, &part, 1, SPAN_SLOTS))
			return false;
		record.base += SPAN_SLOTS;
		record.count -= SPAN_SLOTS;
		record.slots += SPAN_SLOTS;
	}
	return encode(e, &record, 1, record.count);
}

bool slots_encode(struct slot_encoder *e, const struct slot_record *records, unsigned n)
{
	size_t n_slots = 0;

	if (n == 1) /* without slots, it may have no states either */
		return !records->count || encode_long(e, *records);
	for (unsigned i = 0; i < n; i++)
		n_slots += records[i].count;
	return encode(e, records, n, n_slots);
}

void slots_encode_end(struct slot_encoder *e)
{
	put_bytes(&e->hits, &e->bits, (e->n_bits + 7) / 8);
	e->bits = e->n_bits = 0;
}

size_t slots_encoded(const struct slot_encoder *e)
{
	size_t size = e->hits.size;

	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		size += e->residuals[i].size;
	return size;
}

void slot_encoder_free(struct slot_encoder *e)
{
	slot_states_free(&e->states);
	buffer_free(&e->hits);
	for (unsigned i = 0; i < RESIDUAL_PLANES; i++)
		buffer_free(&e->residuals[i]);
}

/* Counts the zeros among the `count` (64 at most) bits from `bit` on. */
static unsigned zeros(const uint8_t *bits, uint64_t bit, unsigned count)
{
	uint64_t low = get_le64(bits + bit / 8) >> bit % 8;

	return (unsigned)__builtin_popcountll(~low & (UINT64_MAX >> (64 - count)));
}

bool slots_step_over(struct slot_decoder *d)
{
	enum { FEW = 56 };
	uint64_t bit = d->next_bit, end = bit + d->skipped, n_residuals = 0;

	if (d->skipped > d->n_bits - bit)
		return false;
	for (; end - bit > FEW; bit += FEW)
		n_residuals += zeros(d->hits, bit, FEW);
	if (bit < end)
		n_residuals += zeros(d->hits, bit, (unsigned)(end - bit));
	d->next_bit = end;
	d->skipped = 0;
	skip_residuals(&d->residuals, n_residuals);
	return !d->residuals.bad;
}
