/* SPDX-License-Identifier: MIT */
/*
 * Footprints: how many blocks and pages data accesses, and instruction fetches, touch. Numbers:
 * data blocks, data pages, instruction blocks, instruction pages. Memory: a bit a block touched at best,
 * 32 bytes at worst.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzers/mica/analysis.h"
#include "analyzers/mica/block_set.h"

enum { DATA_BLOCKS, DATA_PAGES, CODE_BLOCKS, CODE_PAGES, SETS };

struct footprint {
	const struct mica_setup *setup;
	struct block_set sets[SETS];
	bool *fetched;		/* by static instruction: in the sets */
};

static void *start(const struct mica_setup *setup)
{
	struct footprint *f = mica_alloc(1, sizeof(*f));

	f->setup = setup;
	for (unsigned i = 0; i < SETS; i++)
		block_set_init(&f->sets[i]);
	f->fetched = mica_alloc(setup->numbers.insns, sizeof(*f->fetched));
	return f;
}

static void stop(void *self)
{
	struct footprint *f = self;

	for (unsigned i = 0; i < SETS; i++)
		block_set_free(&f->sets[i]);
	free(f->fetched);
	free(f);
}

static void touch(struct footprint *f, unsigned set, uint64_t address, uint32_t size)
{
	block_set_range(&f->sets[set], address, size, f->setup->block_shift);
	block_set_range(&f->sets[set + 1], address, size, f->setup->page_shift);
}

static void feed(void *self, const struct mica_event *events, size_t count)
{
	struct footprint *f = self;

	for (size_t i = 0; i < count; i++) {
		const struct mica_event *e = &events[i];

		if (!f->fetched[e->insn->index]) {
			f->fetched[e->insn->index] = true;
			touch(f, CODE_BLOCKS, e->insn->pc, e->insn->length);
		}
		for (unsigned r = 0; r < e->n_reads; r++)
			touch(f, DATA_BLOCKS, e->read[r], e->read_size);
		if (e->n_writes)
			touch(f, DATA_BLOCKS, e->write, e->write_size);
	}
}

static unsigned end(void *self, bool last, uint64_t *numbers)
{
	struct footprint *f = self;

	(void)last;
	for (unsigned i = 0; i < SETS; i++) {
		numbers[i] = f->sets[i].count;
		block_set_clear(&f->sets[i]);
	}
	memset(f->fetched, 0, f->setup->numbers.insns * sizeof(*f->fetched));
	return SETS;
}

const struct mica_analysis mica_footprint = { start, feed, end, stop };
