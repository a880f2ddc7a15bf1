/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/levels.h"

#include <assert.h>
#include <string.h>

#include "cli/common/checked.h"

/* ---- contexts ---------------------------------------------------------------------------- */

enum { FIRST_SLOTS = 1024 };

static uint32_t slot_of(const struct contexts *c, const struct context *context)
{
	uint64_t hash = context->parent * 0x9e3779b97f4a7c15;

	hash = (hash ^ hash >> 29 ^ (uint64_t)context->what << 1 ^ context->is_loop) *
	       0xbf58476d1ce4e5b9;
	hash = (hash ^ hash >> 32 ^ context->site) * 0x94d049bb133111eb;
	return hash >> 32 & (c->n_slots - 1);
}

static bool equal(const struct context *a, const struct context *b)
{
	return a->parent == b->parent && a->what == b->what && a->site == b->site &&
	       a->is_loop == b->is_loop;
}

static void grow(struct contexts *c)
{
	c->n_slots = c->n_slots ? 2 * c->n_slots : FIRST_SLOTS;
	free(c->slots);
	c->slots = checked_array(c->n_slots, sizeof(*c->slots));
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t slot = slot_of(c, &c->contexts[i]);

		while (c->slots[slot])
			slot = (slot + 1) & (c->n_slots - 1);
		c->slots[slot] = i + 1;
	}
}

static uint32_t add_context(struct contexts *c, struct context context)
{
	if (2 * (c->count + 1) > c->n_slots)
		grow(c);
	for (uint32_t slot = slot_of(c, &context);; slot = (slot + 1) & (c->n_slots - 1)) {
		if (!c->slots[slot]) {
			MAKE_ROOM(c->contexts, c->count, c->room);
			c->contexts[c->count++] = context;
			c->slots[slot] = c->count;
			return c->count - 1;
		}
		if (equal(&c->contexts[c->slots[slot] - 1], &context))
			return c->slots[slot] - 1;
	}
}

static uint32_t context_in(struct contexts *c, uint32_t parent, struct context context)
{
	uint32_t latest = c->contexts[parent].latest;

	if (latest != CONTEXT_NONE && equal(&c->contexts[latest], &context))
		return latest;
	latest = add_context(c, context);
	c->contexts[parent].latest = latest;
	return latest;
}

void contexts_init(struct contexts *c)
{
	*c = (struct contexts){ 0 };
	add_context(c, (struct context){ .parent = CONTEXT_NONE,
					 .what = CONTEXT_ROOT,
					 .latest = CONTEXT_NONE });
}

void contexts_free(struct contexts *c)
{
	free(c->contexts);
	free(c->slots);
}

/* ---- levels ------------------------------------------------------------------------------ */

enum { FIRST_LEVELS = 8 };

static void begin(struct levels *levels, uint32_t context)
{
	struct level *level = &levels->levels[levels->top];

	level->context = context;
	level->begun = level->starts[0] = levels->now + 1;
	level->iteration = 0;
}

void levels_init(struct levels *levels, struct contexts *contexts)
{
	*levels = (struct levels){ .contexts = contexts };
	levels->room = FIRST_LEVELS;
	levels->levels = checked_array(FIRST_LEVELS, sizeof(*levels->levels));
	begin(levels, 0);
	levels->levels[0].begun = 0;
}

void levels_free(struct levels *levels)
{
	free(levels->levels);
}

static void grow_levels(struct levels *levels)
{
	levels->room *= 2;
	levels->levels = checked(
		reallocarray(levels->levels, levels->room, sizeof(*levels->levels)));
}

void levels_push(struct levels *levels, bool is_loop, uint32_t what, uint32_t site)
{
	uint32_t around = levels_context(levels);
	struct context context = {
		.parent = around,
		.what = what,
		.site = site,
		.is_loop = is_loop,
		.latest = CONTEXT_NONE,
		.depth = levels->contexts->contexts[around].depth + 1,
	};

	assert(levels->top + 1 < MOST_LEVELS);
	if (++levels->top == levels->room)
		grow_levels(levels);
	begin(levels, context_in(levels->contexts, around, context));
}

/* ---- reuses ------------------------------------------------------------------------------ */

static uint32_t overview_level(const struct levels *levels, uint64_t time)
{
	uint32_t low = 0, high = levels->top;

	while (low < high) {
		uint32_t middle = (low + high + 1) / 2;

		if (levels->levels[middle].begun <= time)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static uint32_t ancestor(const struct contexts *c, uint32_t context, uint32_t depth)
{
	while (c->contexts[context].depth > depth)
		context = c->contexts[context].parent;
	return c->contexts[context].depth == depth ? context : CONTEXT_NONE;
}

static uint64_t iterations_since(const struct level *loop, uint64_t time)
{
	uint64_t most = loop->iteration < ITERATIONS_KEPT ? loop->iteration : ITERATIONS_KEPT;

	for (uint64_t apart = 0; apart < most; apart++)
		if (loop->starts[(loop->iteration - apart) % ITERATIONS_KEPT] <= time)
			return apart;
	return most;
}

static enum reuse_kind kind_of(const struct contexts *c, uint32_t first, uint32_t second)
{
	const struct context *a = first == CONTEXT_NONE ? NULL : &c->contexts[first];
	const struct context *b = second == CONTEXT_NONE ? NULL : &c->contexts[second];

	if (!a && !b)
		return REUSE_SEQ;
	if ((a && !a->is_loop) || (b && !b->is_loop))
		return REUSE_FUNC;
	return a && b ? REUSE_FUSE : REUSE_MOVE;
}

void levels_find(const struct levels *levels, uint64_t time, uint32_t context, struct reuse *reuse)
{
	const struct contexts *c = levels->contexts;
	uint32_t at = overview_level(levels, time);
	const struct level *overview = &levels->levels[at];

	reuse->overview = overview->context;
	reuse->first = ancestor(c, context, at + 1);
	reuse->second = at < levels->top ? levels->levels[at + 1].context : CONTEXT_NONE;
	reuse->iterations = c->contexts[overview->context].is_loop
				    ? iterations_since(overview, time)
				    : 0;
	reuse->kind = reuse->iterations ? REUSE_LOOP : kind_of(c, reuse->first, reuse->second);
}
