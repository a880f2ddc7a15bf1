/* SPDX-License-Identifier: MIT */
#include "traceformat/pack/coder.h"

bool coder_begin(struct coder *c, unsigned cell_bits)
{
	size_t n = (size_t)1 << cell_bits;

	c->cells = aligned_alloc(64, n * sizeof(*c->cells));
	if (!c->cells)
		return false;
	for (size_t i = 0; i < n; i++)
		c->cells[i] = FRESH_CELL;
	for (uint32_t i = 0; i <= CELL_COUNT_MAX; i++)
		c->rates[i] = 131072 / (2 * i + 3);
	c->shift = 64 - (cell_bits - 4);
	c->low = 0;
	c->high = UINT32_MAX;
	return true;
}

void coder_read(struct coder *c, struct span packed)
{
	c->in = packed;
	for (int i = 0; i < 4; i++)
		c->code = c->code << 8 | take_u8(&c->in);
}

void coder_write_end(struct coder *c)
{
	for (int i = 0; i < 4; i++)
		put_u8(&c->out, (uint8_t)(c->low >> (24 - 8 * i)));
}

void coder_free(struct coder *c)
{
	free(c->cells);
	buffer_free(&c->out);
	*c = (struct coder){ 0 };
}

unsigned coder_cell_bits(uint64_t count)
{
	unsigned bits = MIN_CELL_BITS;

	while (bits < MAX_CELL_BITS && UINT64_C(1) << bits < 4 * count)
		bits++;
	return bits;
}
