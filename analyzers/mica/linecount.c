/* SPDX-License-Identifier: MIT */
/*
 * The growth of the set of data blocks that are read: a line for each block that is read for the
 * first time in an interval, with the numbers of blocks, reads and instructions so far, and before
 * them a line of zeros. Lines are handed on 1000 at a time and at the end; MICA writes the last
 * 1000 twice if an interval ends with them. Numbers: blocks, reads, instructions of the interval.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/block_set.h"

enum { CHUNK = 1000, RECENT = 1024 };

struct linecount {
	const struct mica_setup *setup;
	struct block_set blocks;
	uint64_t n_lines, reads, instructions;
	uint64_t lines[CHUNK][MICA_LINE_CELLS]; /* by number modulo CHUNK */
	uint64_t recent[RECENT]; /* blocks of the set, at their numbers modulo RECENT */
};

/* Fills the table of recent blocks with values that cannot stand there. */
static void forget_recent(struct linecount *l)
{
	for (uint64_t i = 0; i < RECENT; i++)
		l->recent[i] = i + 1;
}

static void *start(const struct mica_setup *setup)
{
	struct linecount *l = checked_array(1, sizeof(*l));

	l->setup = setup;
	block_set_init(&l->blocks);
	forget_recent(l);
	return l;
}

static void stop(void *self)
{
	struct linecount *l = self;

	block_set_free(&l->blocks);
	free(l);
}

/* Hands on the lines of the chunk under way. */
static void put(struct linecount *l)
{
	l->setup->put_lines(l->setup->opaque, l->lines, l->n_lines % CHUNK + 1);
}

static void add_line(struct linecount *l)
{
	uint64_t *line = l->lines[++l->n_lines % CHUNK];

	line[0] = l->n_lines;
	line[1] = l->reads;
	line[2] = l->instructions;
	if (l->n_lines % CHUNK == CHUNK - 1)
		put(l);
}

static inline void read_block(struct linecount *l, uint64_t block)
{
	uint64_t before = l->blocks.count;

	if (l->recent[block % RECENT] == block)
		return;
	l->recent[block % RECENT] = block;
	block_set_add(&l->blocks, block);
	if (l->blocks.count != before)
		add_line(l);
}

static void read_range(struct linecount *l, uint64_t address, uint32_t size)
{
	unsigned shift = l->setup->block_shift;
	uint64_t block = address >> shift, last = (address + size - 1) >> shift;

	l->reads++;
	if (!size)
		return;
	while (read_block(l, block), block != last)
		block = next_block(block, shift);
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct linecount *l = self;

	for (size_t i = 0; i < count; i++) {
		l->instructions += events[i].counts;
		for (unsigned r = 0; r < events[i].n_reads; r++)
			read_range(l, events[i].read[r], events[i].read_size);
	}
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_access *a = exec->superblock->accesses;
	const struct mica_access *end = a + mica_superblock_accesses(exec);
	struct linecount *l = self;
	uint64_t before = l->instructions;

	for (; a < end; a++) {
		if (a->operand == MICA_WRITE)
			continue;
		l->instructions = before + a->insn + 1;
		read_range(l, exec->values[a->value] + exec->space, a->size);
	}
	l->instructions = before + exec->superblock->n_insns;
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct linecount *l = self;

	(void)last;
	put(l);
	numbers[0] = l->n_lines;
	numbers[1] = l->reads;
	numbers[2] = l->setup->zero_instructions ? 0 : l->instructions;
	block_set_clear(&l->blocks);
	forget_recent(l);
	l->n_lines = l->reads = l->instructions = 0;
	memset(l->lines[0], 0, sizeof(l->lines[0]));
	return MICA_LINE_CELLS;
}

const struct mica_analysis mica_linecount = {
	.start = start,
	.feed = feed,
	.superblock = feed_superblock,
	.end = end,
	.stop = stop,
	.forgets_all = true,
};
