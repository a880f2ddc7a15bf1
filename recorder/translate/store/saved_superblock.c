/* SPDX-License-Identifier: MIT */
#include "recorder/translate/store/saved_superblock.h"

enum { MOST_GENERATION = 255 };

static void put_block(struct buffer *b, const struct saved_block *block,
		      const struct saved_block *before)
{
	if (block->module == before->module) {
		put_varint(b, zigzag((int64_t)(block->offset - before->offset)) << 1);
		return;
	}
	put_varint(b, (uint64_t)block->module << 1 | 1);
	put_varint(b, block->offset);
}

void saved_superblock_put(struct buffer *b, const struct saved_superblock *s, bool first)
{
	struct saved_block before = { 0 };

	if (!first) {
		put_varint(b, s->parent);
		put_varint(b, s->exit);
	}
	put_varint(b, s->entered);
	put_varint(b, s->generation);
	put_varint(b, s->n_blocks - 1);
	for (unsigned i = 0; i < s->n_blocks; i++) {
		put_block(b, &s->blocks[i], &before);
		before = s->blocks[i];
	}
}

static void take_block(struct span *span, uint32_t n_modules, struct saved_block *block)
{
	uint64_t value = take_varint(span);

	if (value & 1) {
		block->module = (uint32_t)(value >> 1 < n_modules ? value >> 1 : 0);
		span->bad |= value >> 1 >= n_modules;
		block->offset = take_varint(span);
	} else {
		block->offset += (uint64_t)unzigzag(value >> 1);
	}
	span->bad |= block->offset >> SAVED_OFFSET_BITS != 0;
}

void saved_superblock_take(struct span *span, unsigned number, uint32_t n_modules,
			   struct saved_superblock *s)
{
	struct saved_block block = { 0 };

	*s = (struct saved_superblock){ 0 };
	span->bad |= !n_modules;
	if (number) {
		s->parent = (unsigned)take_varint_max(span, number - 1);
		s->exit = (unsigned)take_varint_max(span, SAVED_EXITS - 1);
	}
	s->entered = take_varint_max(span, 1);
	s->generation = (unsigned)take_varint_max(span, MOST_GENERATION);
	s->n_blocks = (unsigned)take_varint_max(span, SAVED_BLOCKS - 1) + 1;
	for (unsigned i = 0; i < s->n_blocks && !span->bad; i++) {
		take_block(span, n_modules, &block);
		s->blocks[i] = block;
	}
}
