/* SPDX-License-Identifier: MIT */
/*
 * LRU stack distances of data blocks: how many other blocks were touched since a block was touched
 * last.
 *
 * Numbers: blocks touched; those for the first time; distances in 19 buckets, the first for 0 and
 * 1, then an octave each, the last without end (MICA's memstackdist, memreusedist); then distances
 * 0, 1, .. 2047, and larger ones (fullmemstackdist). Touched blocks stay touched at an interval's
 * end. An access of 0 bytes touches its block unless it is at its beginning.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/locality/distances.h"
#include "analyzers/locality/lru_stack.h"
#include "analyzers/mica/analysis.h"
#include "analyzers/mica/block_set.h"

enum { BATCH = 512, SINGLES = 2048 };

struct stackdist {
	const struct mica_setup *setup;
	struct lru_stack stack;
	size_t count; /* blocks to be touched */
	uint64_t blocks[BATCH];
	uint64_t touches, cold, buckets[MICA_BUCKETS], singles[SINGLES + 1];
};

static void *start(const struct mica_setup *setup)
{
	struct stackdist *s = checked_array(1, sizeof(*s));

	s->setup = setup;
	lru_stack_init(&s->stack);
	return s;
}

static void stop(void *self)
{
	struct stackdist *s = self;

	lru_stack_free(&s->stack);
	free(s);
}

static void count_distance(struct stackdist *s, uint32_t distance)
{
	/*
	 * The ceiling of the logarithm of n is one more than the floor of the logarithm of n - 1.
	 */
	bool below = s->setup->stack_rounds_up && distance > 1;

	s->buckets[mica_bucket(below ? 2 * (uint64_t)(distance - 1) : distance)]++;
	s->singles[distance < SINGLES ? distance : SINGLES]++;
}

static void flush(struct stackdist *s)
{
	uint32_t distances[BATCH];

	lru_stack_touch(&s->stack, s->blocks, s->count, distances, NULL);
	s->touches += s->count;
	for (size_t i = 0; i < s->count; i++)
		if (distances[i] == LRU_COLD)
			s->cold++;
		else
			count_distance(s, distances[i]);
	s->count = 0;
}

static void touch(struct stackdist *s, uint64_t address, uint32_t size)
{
	unsigned shift = s->setup->block_shift;
	uint64_t block = address >> shift, last = (address + size - 1) >> shift;

	if (!size && block << shift == address)
		return;
	for (;; block = next_block(block, shift)) {
		if (s->count == BATCH)
			flush(s);
		s->blocks[s->count++] = block;
		if (block == last)
			return;
	}
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct stackdist *s = self;

	for (size_t i = 0; i < count; i++) {
		const struct mica_event *e = &events[i];

		for (unsigned r = 0; r < e->n_reads; r++)
			touch(s, e->read[r], e->read_size);
		if (e->n_writes && s->setup->stack_writes)
			touch(s, e->write, e->write_size);
	}
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_access *a = exec->superblock->accesses;
	const struct mica_access *end = a + mica_superblock_accesses(exec);
	struct stackdist *s = self;

	for (; a < end; a++)
		if (a->operand != MICA_WRITE || s->setup->stack_writes)
			touch(s, exec->values[a->value] + exec->space, a->size);
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct stackdist *s = self;

	(void)last;
	flush(s);
	numbers[0] = s->touches;
	numbers[1] = s->cold;
	memcpy(numbers + 2, s->buckets, sizeof(s->buckets));
	memcpy(numbers + MICA_STACK_NUMBERS, s->singles, sizeof(s->singles));
	s->touches = s->cold = 0;
	memset(s->buckets, 0, sizeof(s->buckets));
	memset(s->singles, 0, sizeof(s->singles));
	return MICA_STACK_NUMBERS + SINGLES + 1;
}

/* clang-format off */
const struct mica_analysis mica_stackdist = {
	.start = start, .feed = feed, .superblock = feed_superblock, .end = end, .stop = stop,
};
/* clang-format on */
