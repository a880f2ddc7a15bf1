/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/levels.h"

#include <assert.h>
#include <string.h>

#include "cli/common/checked.h"

/* ---- contexts ---------------------------------------------------------------------------- */

static uint32_t add_context(struct contexts *c, struct context_key key)
{
	size_t n_known = c->count;
	struct context *context = checked(TABLE_PUT(*c, key));

	if (c->count > n_known) {
		context->depth = key.parent == CONTEXT_NONE ? 0 : c->at[key.parent].depth + 1;
		context->latest = CONTEXT_NONE;
	}
	return (uint32_t)(context - c->at);
}

static uint32_t context_in(struct contexts *c, struct context_key key)
{
	uint32_t latest = c->at[key.parent].latest;

	if (latest != CONTEXT_NONE && !memcmp(&c->at[latest].key, &key, sizeof(key)))
		return latest;
	latest = add_context(c, key);
	c->at[key.parent].latest = latest;
	return latest;
}

void contexts_init(struct contexts *c)
{
	*c = (struct contexts){ 0 };
	add_context(c, (struct context_key){ .parent = CONTEXT_NONE, .what = CONTEXT_ROOT });
}

void contexts_free(struct contexts *c)
{
	TABLE_FREE(*c);
}

/* ---- levels ------------------------------------------------------------------------------ */

static void begin(struct levels *levels, uint32_t context)
{
	struct level *level = &levels->live.at[levels->top];

	level->context = context;
	level->begun = level->starts[0] = levels->now + 1;
	level->iteration = 0;
}

void levels_init(struct levels *levels, struct contexts *contexts)
{
	*levels = (struct levels){ .contexts = contexts };
	CHECKED_RESERVE(levels->live, 1);
	begin(levels, 0);
	levels->live.at[0].begun = 0;
}

void levels_free(struct levels *levels)
{
	free(levels->live.at);
}

void levels_push(struct levels *levels, bool is_loop, uint32_t what, uint32_t site)
{
	struct context_key key = { levels_context(levels), what, site, is_loop };

	assert(levels->top + 1 < MOST_LEVELS);
	levels->top++;
	CHECKED_RESERVE(levels->live, levels->top + 1ul);
	begin(levels, context_in(levels->contexts, key));
}

/* ---- reuses ------------------------------------------------------------------------------ */

static uint32_t overview_level(const struct levels *levels, uint64_t time)
{
	uint32_t low = 0, high = levels->top;

	while (low < high) {
		uint32_t middle = (low + high + 1) / 2;

		if (levels->live.at[middle].begun <= time)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static uint32_t ancestor(const struct contexts *c, uint32_t context, uint32_t depth)
{
	while (c->at[context].depth > depth)
		context = c->at[context].key.parent;
	return c->at[context].depth == depth ? context : CONTEXT_NONE;
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
	const struct context *a = first == CONTEXT_NONE ? NULL : &c->at[first];
	const struct context *b = second == CONTEXT_NONE ? NULL : &c->at[second];

	if (!a && !b)
		return REUSE_SEQ;
	if ((a && !a->key.is_loop) || (b && !b->key.is_loop))
		return REUSE_FUNC;
	return a && b ? REUSE_FUSE : REUSE_MOVE;
}

void levels_find(const struct levels *levels, uint64_t time, uint32_t context, struct reuse *reuse)
{
	const struct contexts *c = levels->contexts;
	uint32_t at = overview_level(levels, time);
	const struct level *overview = &levels->live.at[at];

	reuse->overview = overview->context;
	reuse->first = ancestor(c, context, at + 1);
	reuse->second = at < levels->top ? levels->live.at[at + 1].context : CONTEXT_NONE;
	reuse->iterations = c->at[overview->context].key.is_loop ? iterations_since(overview, time)
								 : 0;
	reuse->kind = reuse->iterations ? REUSE_LOOP : kind_of(c, reuse->first, reuse->second);
}
