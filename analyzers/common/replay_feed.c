/* SPDX-License-Identifier: MIT */
/* Feeds a cursor's items to the hooks of an analyzer: regions, intervals, rows. */
#include <string.h>

#include "analyzers/common/replay_parts.h"

/* ---- rows -------------------------------------------------------------------------------- */

static int state_clear(const struct analysis *run, void *state)
{
	const struct analyzer *analyzer = run->analyzer;

	if (analyzer->clear) {
		analyzer->clear(state);
		return 0;
	}
	if (analyzer->stop)
		analyzer->stop(state);
	memset(state, 0, analyzer->state_size);
	return analyzer->start ? analyzer->start(state, run) : 0;
}

int lane_end_row(struct lane *lane)
{
	const struct replay *replay = lane->plan->replay;
	struct analysis run = *replay->run;
	int status = 0;

	if (replay->row_options)
		run.options = replay->row_options;
	if (lane->span.instructions) {
		status = run.analyzer->row(lane->state, &run, &lane->span, replay->report);
		if (!status)
			status = state_clear(replay->run, lane->state);
	}
	lane->span.instructions = 0;
	return status;
}

/* ---- items ------------------------------------------------------------------------------- */

/* Calls the access hook for each access of a batch. */
static int hand_on_accesses(const struct analyzer *analyzer, void *state,
			    const struct tf_item *item)
{
	struct tf_block_accesses it;
	int status = 0;

	for (size_t i = 0; i < item->count && !status; i++) {
		tf_block_accesses_begin(&it, &item->blocks[i]);
		while (!status && tf_block_accesses_next(&it))
			status = analyzer->access(state, item->thread, &it);
	}
	return status;
}

static int hand_on_blocks(const struct analyzer *analyzer, void *state, const struct tf_item *item)
{
	int status = analyzer->blocks ? analyzer->blocks(state, item) : 0;

	return status || !analyzer->access ? status : hand_on_accesses(analyzer, state, item);
}

/* Calls the hook of the item's kind. */
static int call_hook(const struct lane *lane, const struct tf_item *item)
{
	const struct analyzer *analyzer = lane->plan->replay->run->analyzer;

	switch (item->kind) {
	case TF_ITEM_PATHS: return analyzer->paths(lane->state, item);
	case TF_ITEM_BLOCKS: return hand_on_blocks(analyzer, lane->state, item);
	default: return analyzer->insns(lane->state, item);
	}
}

/* Counts the instructions of a batch. */
static void count(struct lane *lane, const struct tf_item *item)
{
	if (lane->span.instructions == 0)
		lane->span.first = lane->thread == TF_MERGED ? lane->position : item->ordinal;
	lane->span.instructions += item->instructions;
	lane->position += item->instructions;
	lane->counted += item->instructions;
}

static int hand_on(struct lane *lane, const struct tf_item *item)
{
	count(lane, item);
	return call_hook(lane, item);
}

int lane_take(struct lane *lane, const struct tf_item *item, void *digest)
{
	count(lane, item);
	return lane->plan->replay->run->analyzer->take(lane->state, digest);
}

/* Feeds a batch of the warm-up, if the analyzer learns from it. */
static int warm_up(struct lane *lane, const struct tf_item *item)
{
	lane->position += item->instructions;
	return lane->plan->replay->run->warms_up ? call_hook(lane, item) : 0;
}

/*
 * Splits *item after the execution that contains its instruction `limit` (from 1). Returns the
 * first part and leaves the rest in *item.
 */
static struct tf_item split(struct tf_item *item, uint64_t limit)
{
	struct tf_item head = *item;
	uint64_t instructions = 0;
	size_t count = 0;

	switch (item->kind) {
	case TF_ITEM_PATHS:
		while (instructions < limit)
			instructions += item->paths[count++].executed;
		item->paths += count;
		break;
	case TF_ITEM_BLOCKS:
		while (instructions < limit)
			instructions += item->blocks[count++].executed;
		item->blocks += count;
		break;
	default:
		instructions = count = limit;
		item->insns += count;
		break;
	}
	head.count = count;
	head.instructions = instructions;
	item->count -= count;
	item->instructions -= instructions;
	item->ordinal += instructions;
	return head;
}

/* Feeds a batch. An interval ends at the first execution that reaches a multiple of its length. */
static int feed_batch(struct lane *lane, struct tf_item item)
{
	uint64_t interval = lane->plan->replay->interval;
	int status = 0;

	if (lane->phase == LANE_WARMS_UP)
		return warm_up(lane, &item);
	while (interval && !status) {
		uint64_t left = interval - lane->counted % interval;

		if (item.instructions < left)
			break;
		struct tf_item head = split(&item, left);

		status = hand_on(lane, &head);
		if (!status)
			status = lane_end_row(lane);
	}
	if (!status && item.count)
		status = hand_on(lane, &item);
	return status;
}

static bool is_left_out(const struct lane *lane, uint32_t thread)
{
	const bool *left_out = lane->plan->replay->left_out;

	return left_out && left_out[thread];
}

static int feed_event(struct lane *lane, const struct tf_event *event)
{
	const struct replay *replay = lane->plan->replay;
	const struct analyzer *analyzer = replay->run->analyzer;
	bool *inside = lane->inside ? &lane->inside[event->thread] : NULL;
	int status = 0;

	if (is_left_out(lane, event->thread))
		return 0;
	if (inside && event->kind == TF_EVENT_REGION_BEGIN && event->region.index == replay->region)
		*inside = true;
	if (analyzer->event && (!inside || *inside))
		status = analyzer->event(lane->state, event);
	if (inside && event->kind == TF_EVENT_REGION_END && event->region.index == replay->region)
		*inside = false;
	return status;
}

/* Returns the block of an execution. */
static uint32_t block_of(const struct tf_item *item, size_t i)
{
	return item->kind == TF_ITEM_BLOCKS ? item->blocks[i].block->id : item->insns[i].block->id;
}

/* Splits *item where executions of excluded code begin or end. Returns the first part. */
static struct tf_item split_alike(struct tf_item *item, const bool *excluded)
{
	bool first = excluded[block_of(item, 0)];
	uint64_t instructions = 0;
	size_t n = 0;

	while (n < item->count && excluded[block_of(item, n)] == first) {
		instructions += item->kind == TF_ITEM_BLOCKS ? item->blocks[n].executed : 1;
		n++;
	}
	return split(item, instructions);
}

/* Feeds a batch without the executions of excluded code. */
static int feed_filtered(struct lane *lane, struct tf_item item)
{
	const bool *excluded = lane->plan->replay->excluded;
	int status = 0;

	while (item.count && !status) {
		bool leave_out = excluded[block_of(&item, 0)];
		struct tf_item part = split_alike(&item, excluded);

		if (leave_out)
			lane->position += part.instructions;
		else
			status = feed_batch(lane, part);
	}
	return status;
}

static int feed_chosen(struct lane *lane, const struct tf_item *item)
{
	return lane->plan->replay->excluded ? feed_filtered(lane, *item) : feed_batch(lane, *item);
}

int lane_end_warmup(struct lane *lane)
{
	const struct analysis *run = lane->plan->replay->run;

	if (lane->phase != LANE_WARMS_UP)
		return 0;
	lane->phase = LANE_COUNTS;
	return run->warms_up ? state_clear(run, lane->state) : 0;
}

static uint64_t executed_in(const struct tf_item *item, size_t i)
{
	switch (item->kind) {
	case TF_ITEM_PATHS: return item->paths[i].executed;
	case TF_ITEM_BLOCKS: return item->blocks[i].executed;
	default: return 1;
	}
}

/* Returns how many instructions the executions have that end within the first `limit` ones. */
static uint64_t executed_within(const struct tf_item *item, uint64_t limit)
{
	uint64_t instructions = 0;

	for (size_t i = 0; i < item->count; i++) {
		if (executed_in(item, i) > limit - instructions)
			break;
		instructions += executed_in(item, i);
	}
	return instructions;
}

/* Feeds a batch that begins in the warm-up. An execution that goes beyond the warm-up counts. */
static int feed_warmup(struct lane *lane, struct tf_item item)
{
	uint64_t left = executed_within(&item, lane->warm_end - lane->position);
	int status;

	if (left == item.instructions)
		return feed_chosen(lane, &item);
	if (left) {
		struct tf_item head = split(&item, left);

		status = feed_chosen(lane, &head);
		if (status)
			return status;
	}
	status = lane_end_warmup(lane);
	return status ? status : feed_chosen(lane, &item);
}

int lane_feed(struct lane *lane, const struct tf_item *item)
{
	if (item->kind == TF_ITEM_EVENT)
		return feed_event(lane, item->event);
	if (is_left_out(lane, item->thread) || (lane->inside && !lane->inside[item->thread])) {
		lane->position += item->instructions;
		return 0;
	}
	return lane->phase == LANE_WARMS_UP ? feed_warmup(lane, *item) : feed_chosen(lane, item);
}
