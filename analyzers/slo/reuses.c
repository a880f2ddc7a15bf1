/* SPDX-License-Identifier: MIT */
/*
 * Collects executions and their accesses, finds the distances of a batch of touches at once, and
 * then handles each touch in its place among the executions.
 */
#include "analyzers/slo/reuses.h"

#include <string.h>

#include "analyzers/common/address_space.h"
#include "cli/common/checked.h"

enum { BATCH = 1024, PARTS = 8 };

/* The latest touch of a memory block. */
struct last_touch {
	uint64_t time : 64 - PARTS;
	uint64_t parts : PARTS; /* which eighths of the block were touched since it was touched
				   where it had been before: a bit each */
	uint32_t context;
	uint32_t insn;
};

/* Touches of memory blocks, in order. */
struct touches {
	size_t count;
	uint64_t blocks[BATCH];
	uint32_t distances[BATCH], refs[BATCH];
	uint16_t accesses[BATCH]; /* by touch: the index of its access in the collector */
};

/* ---- one touch --------------------------------------------------------------------------- */

static bool in_inner_loop(const struct walker *walker, uint32_t overview)
{
	const struct contexts *c = walker->levels.contexts;
	uint32_t context = levels_context(&walker->levels);

	while (context != overview && !c->at[context].key.is_loop)
		context = c->at[context].key.parent;
	return context != overview;
}

static uint32_t data_of(const struct reuses *r, uint64_t block, uint64_t address)
{
	uint64_t begin = block << r->shift;

	if (!r->data)
		return CONTEXT_NONE;
	return slo_data_at(r->data, r->process, (begin > address ? begin : address) - r->space);
}

static void add_reuse(struct reuses *r, const struct last_touch *last, const struct last_touch *now,
		      uint32_t distance, uint32_t data)
{
	struct slo_reuse reuse = {
		.distance = distance,
		.spatial = !(last->parts & now->parts),
		.first = last->insn,
		.second = now->insn,
		.data = data,
	};

	levels_find(&r->walker.levels, last->time, last->context, &reuse.reuse);
	if (reuse.reuse.kind == REUSE_LOOP)
		reuse.inner = in_inner_loop(&r->walker, reuse.reuse.overview);
	slo_groups_add(r->groups, r->walker.levels.contexts, &reuse);
	r->wanted++;
}

/* Returns the eighths of a block that an access touches, a bit each. */
static unsigned parts_of(const struct access *access, uint64_t block, unsigned shift)
{
	uint64_t last = (UINT64_C(1) << shift) - 1, first = 0;
	uint64_t left = access->size ? access->size : 1;

	if (block == access->address >> shift)
		first = access->address & last;
	else
		left -= (block << shift) - access->address;
	if (left <= last - first)
		last = first + left - 1;
	return (2u << (last * PARTS >> shift)) - (1u << (first * PARTS >> shift));
}

static void look_at(struct reuses *r, const struct touches *touches, size_t i)
{
	unsigned number = touches->accesses[i];
	const struct access *access = &r->batch->collector.accesses[number];
	struct last_touch *last = &r->last.at[touches->refs[i]];
	struct last_touch now = {
		.time = ++r->walker.levels.now,
		.context = levels_context(&r->walker.levels),
		.parts = parts_of(access, touches->blocks[i], r->shift),
		.insn = r->first_insn[r->walker.block] + r->batch->collector.insns[number],
	};
	bool again = touches->distances[i] != LRU_COLD;

	r->cold += !again;
	if (again && touches->distances[i] >= r->shortest) {
		add_reuse(r, last, &now, touches->distances[i],
			  data_of(r, touches->blocks[i], access->address));
		again = !(last->parts & now.parts);
	}
	if (again)
		now.parts |= last->parts;
	*last = now;
}

/* ---- batches ----------------------------------------------------------------------------- */

static void find_distances(struct reuses *r, struct touches *touches)
{
	lru_stack_touch(&r->stack, touches->blocks, touches->count, touches->distances,
			touches->refs);
	CHECKED_RESERVE(r->last, lru_stack_refs(&r->stack));
}

/* Enters the executions up to that of an access. */
static unsigned enter_until(struct reuses *r, unsigned pending, size_t access)
{
	for (; pending < r->batch->n_pending && r->batch->pending[pending].first <= access;
	     pending++)
		walker_enter(&r->walker, &r->batch->pending[pending].exec);
	return pending;
}

static unsigned look_at_all(struct reuses *r, struct touches *touches, unsigned pending)
{
	find_distances(r, touches);
	r->touches += touches->count;
	for (size_t i = 0; i < touches->count; i++) {
		pending = enter_until(r, pending, touches->accesses[i]);
		walker_to(&r->walker, r->batch->collector.insns[touches->accesses[i]]);
		look_at(r, touches, i);
	}
	touches->count = 0;
	return pending;
}

static void consume(void *opaque, const struct access *accesses, size_t count)
{
	struct reuses *r = opaque;
	struct touches touches;
	unsigned pending = 0;

	touches.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct access_blocks its = access_blocks(&accesses[i], r->shift);

		do {
			touches.blocks[touches.count] = its.block;
			touches.accesses[touches.count++] = i;
			if (touches.count == BATCH)
				pending = look_at_all(r, &touches, pending);
		} while (access_blocks_next(&its));
	}
	pending = look_at_all(r, &touches, pending);
	enter_until(r, pending, SIZE_MAX);
	r->batch->n_pending = 0;
}

/* Handles all executions of the item at once, because their values are valid only until the end. */
void reuses_feed(struct reuses *r, const struct tf_item *item)
{
	struct reuses_batch *batch = r->batch;
	const struct tf_reader *reader = batch->collector.code->reader;

	r->process = tf_thread(reader, item->thread)->process;
	r->space = address_space(reader, item->thread);
	if (r->data && item->count)
		slo_data_block(r->data, item->thread, item->blocks[0].block);
	batch->collector.opaque = r;
	for (size_t i = 0; i < item->count; i++) {
		if (batch->n_pending == SLO_PENDING)
			access_flush(&batch->collector);
		batch->pending[batch->n_pending++] = (struct pending){ item->blocks[i],
								       batch->collector.count };
		access_collect_block(&batch->collector, &item->blocks[i], r->space);
	}
	access_flush(&batch->collector);
}

void reuses_batch_init(struct reuses_batch *batch, const struct access_code *accesses)
{
	batch->collector.code = accesses;
	batch->collector.kinds = ACCESS_READ | ACCESS_WRITE;
	batch->collector.consume = consume;
}

void reuses_init(struct reuses *r, const struct reuses_setup *setup)
{
	*r = (struct reuses){
		.code = setup->code,
		.first_insn = setup->first_insn,
		.shift = setup->shift,
		.shortest = setup->shortest,
		.groups = setup->groups,
		.data = setup->data,
		.batch = setup->batch,
	};
	walker_init(&r->walker, setup->code, setup->contexts);
	lru_stack_init(&r->stack);
}

void reuses_free(struct reuses *r)
{
	walker_free(&r->walker);
	lru_stack_free(&r->stack);
	free(r->last.at);
}
