/* SPDX-License-Identifier: MIT */
/*
 * Strides: how far apart the accesses of one instruction (local), and of all (global), are.
 *
 * The distance of an access is from the last byte of the one before, so that a sequential walk has
 * 1. Before the first one there is address 0. Numbers, for reads and then for writes: operands,
 * local distances 0, <= 8, 64, 512, 4096, 32768, 262144, and global ones. Constant cost an operand;
 * 24 bytes a static instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

enum { BUCKETS = 8, CUTS = 7, OPERANDS = 3 }; /* the last bucket is not reported */

struct way {
	uint64_t operands, last, local[BUCKETS], global[BUCKETS];
};

struct stride {
	struct way read, write;
	uint64_t (*last)[OPERANDS]; /* by place: two reads and a write */
};

static void *start(const struct mica_setup *setup)
{
	struct stride *s = checked_array(1, sizeof(*s));

	s->last = checked_array(setup->numbers.places, sizeof(*s->last));
	return s;
}

static void stop(void *self)
{
	struct stride *s = self;

	free(s->last);
	free(s);
}

/*
 * Returns the bucket of a distance. Bucket 0 is for 0; bucket b is for at most 8^b, for b below
 * BUCKETS - 1.
 */
static unsigned bucket_of(uint64_t address, uint64_t last)
{
	uint64_t distance = address > last ? address - last : last - address;

	if (distance == 0)
		return 0;
	unsigned bits = 64 - __builtin_clzll((distance - 1) | 1);

	return bits > 18 ? BUCKETS - 1 : (bits + 2) / 3;
}

static void access(struct way *way, uint64_t *last, uint64_t address, uint32_t size)
{
	way->operands++;
	way->local[bucket_of(address, *last)]++;
	way->global[bucket_of(address, way->last)]++;
	*last = way->last = address + size - 1;
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct stride *s = self;

	for (size_t i = 0; i < count; i++) {
		const struct mica_event *e = &events[i];
		uint64_t *last = s->last[e->insn->place];

		for (unsigned r = 0; r < e->n_reads; r++)
			access(&s->read, &last[r], e->read[r], e->read_size);
		if (e->n_writes)
			access(&s->write, &last[MICA_WRITE], e->write, e->write_size);
	}
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_access *a = exec->superblock->accesses;
	const struct mica_access *end = a + mica_superblock_accesses(exec);
	struct stride *s = self;

	for (; a < end; a++)
		access(a->operand == MICA_WRITE ? &s->write : &s->read,
		       &s->last[a->place][a->operand], exec->values[a->value] + exec->space,
		       a->size);
}

static uint64_t *put_sums(uint64_t *numbers, const uint64_t *buckets)
{
	uint64_t sum = 0;

	for (unsigned b = 0; b < CUTS; b++)
		*numbers++ = sum += buckets[b];
	return numbers;
}

static uint64_t *put_way(uint64_t *numbers, struct way *way)
{
	*numbers++ = way->operands;
	numbers = put_sums(numbers, way->local);
	numbers = put_sums(numbers, way->global);
	way->operands = 0;
	memset(way->local, 0, sizeof(way->local));
	memset(way->global, 0, sizeof(way->global));
	return numbers;
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct stride *s = self;

	(void)last;
	return put_way(put_way(numbers, &s->read), &s->write) - numbers;
}

/* clang-format off */
const struct mica_analysis mica_stride = {
	.start = start, .feed = feed, .superblock = feed_superblock, .end = end, .stop = stop,
};
/* clang-format on */
