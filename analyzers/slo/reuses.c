/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/reuses.h"

#include "analyzers/common/address_space.h"
#include "cli/common/checked.h"

enum { PARTS = 8 };

/* The latest touch of a memory block. */
struct last_touch {
	uint64_t time : 64 - PARTS;
	uint64_t parts : PARTS; /* which eighths of the block were touched since it was
					 touched where it had been before: a bit each */
	uint32_t context;
	uint32_t insn;
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

static uint32_t data_of(const struct reuses *r, const struct touch_batch *batch, size_t i)
{
	uint64_t address = (batch->blocks[i] << r->setup->shift) + batch->offsets[i];

	if (!r->setup->data)
		return CONTEXT_NONE;
	return slo_data_at(r->setup->data, r->process, address - r->space);
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
	slo_groups_add(r->setup->groups, r->walker.levels.contexts, &reuse);
	r->wanted++;
}

static void look_at(struct reuses *r, const struct touch_batch *batch, size_t i)
{
	struct last_touch *last = &r->last.at[batch->refs[i]];
	struct last_touch now = {
		.time = ++r->walker.levels.now,
		.context = levels_context(&r->walker.levels),
		.parts = batch->parts[i],
		.insn = r->setup->first_insn[r->walker.latest.block] + batch->insns[i],
	};
	bool again = batch->distances[i] != LRU_COLD;

	r->cold += !again;
	if (again && batch->distances[i] >= r->setup->shortest) {
		add_reuse(r, last, &now, batch->distances[i], data_of(r, batch, i));
		again = !(last->parts & now.parts);
	}
	if (again)
		now.parts |= last->parts;
	*last = now;
}

/* ---- batches ----------------------------------------------------------------------------- */

static void look_until(struct reuses *r, const struct touch_batch *batch, unsigned touch)
{
	for (; r->touch < touch; r->touch++) {
		walker_to(&r->walker, batch->insns[r->touch]);
		look_at(r, batch, r->touch);
	}
}

static void enter(struct reuses *r, const struct touch_batch *batch)
{
	const struct walker_execution *execution = &batch->executions[r->execution];
	const struct tf_reader *reader = r->setup->reader;

	if (execution->resumes && r->setup->data)
		slo_data_block(r->setup->data, r->thread, tf_block(reader, execution->block));
	walker_enter(&r->walker, execution, batch->slots[r->slot]);
	r->slot += execution->end != SLO_GOES_ON;
}

void reuses_begin(struct reuses *r, const struct touch_batch *batch)
{
	CHECKED_RESERVE(r->last, batch->n_refs);
	r->touches += batch->n_touches;
	r->execution = r->slot = r->touch = 0;
}

void reuses_until(struct reuses *r, const struct touch_batch *batch, unsigned execution)
{
	for (; r->execution < execution; r->execution++) {
		look_until(r, batch, batch->firsts[r->execution]);
		enter(r, batch);
	}
	look_until(r, batch,
		   execution < batch->n_executions ? batch->firsts[execution] : batch->n_touches);
}

void reuses_init(struct reuses *r, const struct reuses_setup *setup, uint32_t thread)
{
	*r = (struct reuses){
		.setup = setup,
		.thread = thread,
		.process = tf_thread(setup->reader, thread)->process,
		.space = address_space(setup->reader, thread),
	};
	walker_init(&r->walker, setup->code, setup->contexts);
}

void reuses_free(struct reuses *r)
{
	walker_free(&r->walker);
	free(r->last.at);
}
