/* SPDX-License-Identifier: MIT */
/*
 * Strides: how far apart the accesses of one instruction (local), and of all (global), are.
 *
 * The distance of an access is from the last byte of the one before, so that a sequential walk has
 * 1. Before the first one there is address 0. Numbers, for reads and then for writes: operands,
 * local distances 0, <= 8, 64, 512, 4096, 32768, 262144, and global ones. Constant cost an operand;
 * 72 bytes a static instruction. First accesses are kept, because the distance of each changes when
 * the executions of an earlier state come before them.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"

enum { BUCKETS = 8, CUTS = 7, OPERANDS = 3 }; /* the last bucket is not reported */

/* The first of a sequence of accesses. */
struct first {
	bool known;
	uint64_t address;
};

struct way {
	uint64_t operands, last, local[BUCKETS], global[BUCKETS];
	struct first first;
};

struct stride {
	struct way read, write;
	uint32_t n_places;
	uint64_t (*last)[OPERANDS]; /* by place: two reads and a write */
	struct first (*first)[OPERANDS];
};

static void *start(const struct mica_setup *setup)
{
	struct stride *s = checked_array(1, sizeof(*s));

	s->n_places = setup->numbers.places;
	s->last = checked_array(s->n_places, sizeof(*s->last));
	s->first = checked_array(s->n_places, sizeof(*s->first));
	return s;
}

static void stop(void *self)
{
	struct stride *s = self;

	free(s->last);
	free(s->first);
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

static void keep_first(struct first *first, uint64_t address)
{
	if (!first->known)
		*first = (struct first){ true, address };
}

static __attribute__((noinline)) void begin(struct way *way, struct first *place, uint64_t address)
{
	keep_first(place, address);
	keep_first(&way->first, address);
}

static inline void access(struct stride *s, uint32_t place, unsigned operand, uint64_t address,
			  uint32_t size)
{
	struct way *way = operand == MICA_WRITE ? &s->write : &s->read;
	uint64_t *last = &s->last[place][operand];

	if (!*last) /* before the first access, and behind an access that ends at address 0 */
		begin(way, &s->first[place][operand], address);
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
		uint32_t place = e->insn->place;

		for (unsigned r = 0; r < e->n_reads; r++)
			access(s, place, r, e->read[r], e->read_size);
		if (e->n_writes)
			access(s, place, MICA_WRITE, e->write, e->write_size);
	}
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_access *a = exec->superblock->accesses;
	const struct mica_access *end = a + mica_superblock_accesses(exec);
	struct stride *s = self;

	for (; a < end; a++)
		access(s, a->place, a->operand, exec->values[a->value] + exec->space, a->size);
}

/* The accesses of one instruction's operand, or of all in one way. */
struct sequence {
	uint64_t *last;
	struct first *first;
};

/*
 * Appends a sequence, and moves its first access into the bucket of the distance that it has now.
 */
static void append(struct sequence to, uint64_t last, struct first first, uint64_t *buckets)
{
	if (!first.known)
		return;
	buckets[bucket_of(first.address, 0)]--;
	buckets[bucket_of(first.address, *to.last)]++;
	keep_first(to.first, first.address);
	*to.last = last;
}

static void merge_way(struct way *way, const struct way *later)
{
	way->operands += later->operands;
	for (unsigned b = 0; b < BUCKETS; b++) {
		way->local[b] += later->local[b];
		way->global[b] += later->global[b];
	}
	append((struct sequence){ &way->last, &way->first }, later->last, later->first,
	       way->global);
}

static int merge(void *self, const void *other)
{
	const struct stride *later = other;
	struct stride *s = self;

	merge_way(&s->read, &later->read);
	merge_way(&s->write, &later->write);
	for (uint32_t p = 0; p < s->n_places; p++)
		for (unsigned i = 0; i < OPERANDS; i++)
			append((struct sequence){ &s->last[p][i], &s->first[p][i] },
			       later->last[p][i], later->first[p][i],
			       i == MICA_WRITE ? s->write.local : s->read.local);
	return 0;
}

static void save_first(struct state_writer *writer, const struct first *first)
{
	analyzer_put(writer, first->known);
	analyzer_put(writer, first->address);
}

static void load_first(struct state_reader *reader, struct first *first)
{
	first->known = analyzer_take_max(reader, 1);
	first->address = analyzer_take(reader);
}

static void save_way(struct state_writer *writer, const struct way *way)
{
	analyzer_put(writer, way->operands);
	analyzer_put(writer, way->last);
	analyzer_put_all(writer, way->local, BUCKETS);
	analyzer_put_all(writer, way->global, BUCKETS);
	save_first(writer, &way->first);
}

static void load_way(struct state_reader *reader, struct way *way)
{
	way->operands = analyzer_take(reader);
	way->last = analyzer_take(reader);
	analyzer_take_all(reader, way->local, BUCKETS);
	analyzer_take_all(reader, way->global, BUCKETS);
	load_first(reader, &way->first);
}

static void save(void *self, struct state_writer *writer)
{
	struct stride *s = self;

	save_way(writer, &s->read);
	save_way(writer, &s->write);
	for (uint32_t p = 0; p < s->n_places; p++) {
		analyzer_put_all(writer, s->last[p], OPERANDS);
		for (unsigned i = 0; i < OPERANDS; i++)
			save_first(writer, &s->first[p][i]);
	}
}

static void load(void *self, struct state_reader *reader)
{
	struct stride *s = self;

	load_way(reader, &s->read);
	load_way(reader, &s->write);
	for (uint32_t p = 0; p < s->n_places; p++) {
		analyzer_take_all(reader, s->last[p], OPERANDS);
		for (unsigned i = 0; i < OPERANDS; i++)
			load_first(reader, &s->first[p][i]);
	}
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
	.merge = merge, .save = save, .load = load,
};
/* clang-format on */
