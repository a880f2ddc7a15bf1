/* SPDX-License-Identifier: MIT */
/*
 * The binary arithmetic coder of modeled columns (FORMAT.md 5.6): bits are coded by probabilities
 * that are learnt as they come, each under a context. The same function codes a bit both ways, so
 * that a model is written once for packing and unpacking.
 */
#ifndef CODER_H
#define CODER_H

#include "traceformat/common/bytes.h"

enum {
	CELL_COUNT_BITS = 10,
	CELL_COUNT_MAX = 127,
	MIN_CELL_BITS = 10,
	MAX_CELL_BITS = 22,
	MIN_CHANCE = 4,            /* of 65536 */
	DECISIONS_PER_BYTE = 1024, /* FORMAT.md 7: executions or slots, a stored byte */
};
#define FRESH_CELL (UINT32_C(1) << 31)

enum direction { PACK, UNPACK };

struct coder {
	uint32_t low, high; /* the interval left, both inclusive */
	uint32_t code;      /* unpacking: where in it the number is */
	struct span in;
	struct buffer out;
	unsigned shift;  /* 64 - log2 of the number of lines of 16 cells */
	uint32_t *cells; /* each: chance of a 1, 22 bits, and how often it learnt, 10 bits */
	uint32_t rates[CELL_COUNT_MAX + 1];
};

/* Prepares 2^cell_bits fresh cells; false if memory is out. Packing goes to coder->out. */
bool coder_begin(struct coder *coder, unsigned cell_bits);

/* Starts reading packed bytes. */
void coder_read(struct coder *coder, struct span packed);

/* Writes the last packed bytes. */
void coder_write_end(struct coder *coder);

/* Returns true if all packed bytes, and no more, have been used. */
static inline bool coder_used_up(const struct coder *c)
{
	return !c->in.bad && c->in.at == c->in.end;
}

void coder_free(struct coder *coder);

/* Returns log2 of the number of cells that suits a column of `count` executions or slots. */
unsigned coder_cell_bits(uint64_t count);

/*
 * Returns the cell of a context. Contexts that differ only in the low 4 bits of b share a cache
 * line.
 */
static inline uint32_t *coder_cell(const struct coder *c, uint32_t a, uint32_t b)
{
	uint64_t line = (a * UINT64_C(0x9e3779b97f4a7c15) +
			 (b >> 4) * UINT64_C(0xd6e8feb86659fd93)) >>
			c->shift;

	return &c->cells[line << 4 | (b & 15)];
}

static inline void cell_learn(const struct coder *c, uint32_t *cell, unsigned bit)
{
	uint32_t count = *cell % (1 << CELL_COUNT_BITS);
	int64_t chance = *cell >> CELL_COUNT_BITS;

	chance += (((int64_t)bit << 22) - chance) * c->rates[count] >> 16;
	*cell = (uint32_t)chance << CELL_COUNT_BITS | (count + (count < CELL_COUNT_MAX));
}

static inline uint32_t cell_chance(const uint32_t *cell)
{
	return *cell >> 16;
}

/* Codes a bit whose chance to be 1 is chance / 65536. */
FORCE_INLINE unsigned coder_code(struct coder *c, enum direction to, uint32_t chance, unsigned bit)
{
	uint32_t middle;

	chance = chance < MIN_CHANCE           ? MIN_CHANCE
		 : chance > 65536 - MIN_CHANCE ? 65536 - MIN_CHANCE
					       : chance;
	middle = c->low + (uint32_t)((uint64_t)(c->high - c->low) * chance >> 16);
	if (to == UNPACK)
		bit = c->code <= middle;
	if (bit)
		c->high = middle;
	else
		c->low = middle + 1;
	while (!((c->low ^ c->high) >> 24)) {
		if (to == PACK)
			put_u8(&c->out, (uint8_t)(c->high >> 24));
		else
			c->code = c->code << 8 | take_u8(&c->in);
		c->low <<= 8;
		c->high = c->high << 8 | 255;
	}
	return bit;
}

/* Codes a bit under one context. */
FORCE_INLINE unsigned coder_bit(struct coder *c, enum direction to, uint32_t a, uint32_t b,
				unsigned bit)
{
	uint32_t *cell = coder_cell(c, a, b);

	bit = coder_code(c, to, cell_chance(cell), bit);
	cell_learn(c, cell, bit);
	return bit;
}

/* Codes a bit by the surer of two cells, the first if they are equally sure; both learn. */
FORCE_INLINE unsigned coder_bit_of_two(struct coder *c, enum direction to, uint32_t *one,
				       uint32_t *two, unsigned bit)
{
	uint32_t p = cell_chance(one), q = cell_chance(two);

	bit = coder_code(c, to, abs((int)q - 32768) > abs((int)p - 32768) ? q : p, bit);
	cell_learn(c, one, bit);
	cell_learn(c, two, bit);
	return bit;
}

/* Codes a number of `bits` bits, most significant first, each under the bits before it. */
FORCE_INLINE unsigned coder_tree(struct coder *c, enum direction to, uint32_t a, uint32_t b,
				 unsigned bits, unsigned number)
{
	unsigned node = 1;

	for (unsigned i = bits; i-- > 0;)
		node = node << 1 | coder_bit(c, to, a, b << 8 | node, number >> i & 1);
	return node - (1u << bits);
}

/*
 * Codes the low bytes of a number and how many they are (0 to 8, 9 to 15 are damage and count as
 * 8), most significant byte first; the bytes above are those of `above`. context: below 2^16.
 */
FORCE_INLINE uint64_t coder_number(struct coder *c, enum direction to, uint32_t a, uint32_t context,
				   uint64_t above, unsigned n_bytes, uint64_t number)
{
	n_bytes = coder_tree(c, to, a, context << 8, 4, n_bytes);
	n_bytes = n_bytes > 8 ? 8 : n_bytes;
	for (unsigned i = n_bytes; i-- > 0;) {
		uint64_t byte = coder_tree(c, to, a, context << 8 | n_bytes << 4 | (i + 1), 8,
					   number >> 8 * i & 255);

		above = (above & ~(UINT64_C(255) << 8 * i)) | byte << 8 * i;
	}
	return above;
}

/* Bytes of a number up to its most significant one that is not 0. */
static inline unsigned bytes_of_number(uint64_t v)
{
	return v ? 8 - (unsigned)__builtin_clzll(v) / 8 : 0;
}

#endif
