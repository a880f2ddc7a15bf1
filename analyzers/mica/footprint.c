/* SPDX-License-Identifier: MIT */
/*
 * Footprints: how many blocks and pages are touched by data accesses and by instruction fetches.
 *
 * Numbers: data blocks, data pages, instruction blocks, instruction pages. Memory: from one bit to
 * 32 bytes for each block touched. A table of the units touched last, a unit being the smaller of
 * block and page, makes most accesses cheap.
 */
#include <stdlib.h>

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/block_set.h"

enum { DATA_BLOCKS, DATA_PAGES, CODE_BLOCKS, CODE_PAGES, SETS };
enum { RECENT = 1024 };

struct footprint {
	const struct mica_setup *setup;
	struct block_set sets[SETS], all[SETS]; /* of the interval; of those before it */
	uint64_t turn; /* grows with each interval, and each change of address space */
	uint64_t space;
	uint64_t *fetched, *superblocks_fetched; /* by number: turn in which its code was added
						   last */
	unsigned unit_shift;
	uint64_t recent[RECENT]; /* units in the data sets, at their numbers modulo RECENT */
};

/* Fills the table of recent blocks with values that cannot stand there. */
static void forget_recent(struct footprint *f)
{
	for (uint64_t i = 0; i < RECENT; i++)
		f->recent[i] = i + 1;
}

static void *start(const struct mica_setup *setup)
{
	struct footprint *f = checked_array(1, sizeof(*f));

	f->setup = setup;
	f->unit_shift = setup->block_shift < setup->page_shift ? setup->block_shift
							       : setup->page_shift;
	forget_recent(f);
	for (unsigned i = 0; i < SETS; i++) {
		block_set_init(&f->sets[i]);
		block_set_init(&f->all[i]);
	}
	f->fetched = checked_array(setup->numbers.insns, sizeof(*f->fetched));
	f->superblocks_fetched = checked_array(setup->numbers.superblocks,
					       sizeof(*f->superblocks_fetched));
	f->turn = 1;
	return f;
}

static void stop(void *self)
{
	struct footprint *f = self;

	for (unsigned i = 0; i < SETS; i++) {
		block_set_free(&f->sets[i]);
		block_set_free(&f->all[i]);
	}
	free(f->fetched);
	free(f->superblocks_fetched);
	free(f);
}

static void touch(struct footprint *f, unsigned set, uint64_t address, uint32_t size)
{
	block_set_range(&f->sets[set], address, size, f->setup->block_shift);
	block_set_range(&f->sets[set + 1], address, size, f->setup->page_shift);
}

static inline void touch_data(struct footprint *f, uint64_t address, uint32_t size)
{
	uint64_t unit = address >> f->unit_shift;
	uint64_t *recent = &f->recent[unit % RECENT];

	if (*recent == unit && (address + size - 1) >> f->unit_shift == unit)
		return;
	touch(f, DATA_BLOCKS, address, size);
	if (size)
		*recent = unit;
}

static void enter_space(struct footprint *f, uint64_t space)
{
	if (f->space != space)
		f->turn++;
	f->space = space;
}

static void fetch(struct footprint *f, const struct mica_insn *insn)
{
	if (f->fetched[insn->index] != f->turn)
		touch(f, CODE_BLOCKS, insn->pc + f->space, insn->length);
	f->fetched[insn->index] = f->turn;
}

static void fetch_superblock(struct footprint *f, const struct mica_superblock *superblock)
{
	for (unsigned k = 0; k < superblock->n_segments; k++)
		for (unsigned i = 0; i < superblock->segments[k].count; i++)
			fetch(f, &superblock->segments[k].insns[i]);
	f->superblocks_fetched[superblock->number] = f->turn;
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct footprint *f = self;

	for (size_t i = 0; i < count; i++) {
		const struct mica_event *e = &events[i];

		enter_space(f, e->space);
		fetch(f, e->insn);
		for (unsigned r = 0; r < e->n_reads; r++)
			touch_data(f, e->read[r], e->read_size);
		if (e->n_writes)
			touch_data(f, e->write, e->write_size);
	}
}

static void feed_superblock(void *self, const struct mica_superblock_exec *exec)
{
	const struct mica_superblock *superblock = exec->superblock;
	const struct mica_access *a = superblock->accesses,
				 *end = a + mica_superblock_accesses(exec);
	struct footprint *f = self;

	enter_space(f, exec->space);
	if (f->superblocks_fetched[superblock->number] != f->turn)
		fetch_superblock(f, superblock);
	for (; a < end; a++)
		touch_data(f, exec->values[a->value] + exec->space, a->size);
}

static int merge(void *self, const void *other)
{
	const struct footprint *later = other;
	struct footprint *f = self;

	for (unsigned i = 0; i < SETS; i++)
		block_set_unite(&f->sets[i], &later->sets[i]);
	return 0;
}

static void save(void *self, struct state_writer *writer)
{
	struct footprint *f = self;

	for (unsigned i = 0; i < SETS; i++)
		block_set_save(&f->sets[i], writer);
}

static void load(void *self, struct state_reader *reader)
{
	struct footprint *f = self;

	for (unsigned i = 0; i < SETS; i++)
		block_set_load(&f->sets[i], reader);
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct footprint *f = self;

	(void)last;
	for (unsigned i = 0; i < SETS; i++) {
		numbers[i] = f->sets[i].count;
		if (f->setup->keeps_all)
			block_set_unite(&f->all[i], &f->sets[i]);
		block_set_clear(&f->sets[i]);
	}
	forget_recent(f);
	f->turn++;
	return SETS;
}

static void all(void *self, uint64_t *numbers)
{
	const struct footprint *f = self;

	for (unsigned i = 0; i < SETS; i++)
		numbers[i] = f->all[i].count;
}

/* clang-format off */
const struct mica_analysis mica_footprint = {
	.start = start, .feed = feed, .superblock = feed_superblock, .end = end, .stop = stop,
	.merge = merge, .save = save, .load = load, .all = all,
};
/* clang-format on */
