/* SPDX-License-Identifier: MIT */
#include "analyzers/common/replay.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/ahead.h"
#include "analyzers/common/chunks.h"
#include "cli/common/checked.h"
#include "cli/common/progress.h"

/* A range of one stream. */
struct part {
	uint32_t thread;	/* index, or TF_MERGED */
	uint64_t first, count;
};

/* What the lanes of a result share. */
struct plan {
	const struct replay *replay;
	struct part *parts;	/* lane by lane */
	size_t n_parts, room;
	unsigned n_decoders;	/* that decode ahead of the only lane */
	struct progress progress;
	atomic_uint_fast64_t done;	/* instructions, for the progress */
	atomic_bool stopped;		/* a lane failed */
};

struct lane {
	struct plan *plan;
	size_t first_part, n_parts;
	void *state;
	bool is_first;		/* it shows the progress */
	bool *inside;		/* by thread: in the region; NULL without one */
	uint32_t thread;	/* of the part */
	uint64_t position;	/* of the part's next instruction */
	uint64_t counted;	/* instructions fed */
	struct span span;	/* of the row under way */
	bool damaged;
	int status;
	pthread_t pthread;
};

/* ---- states ------------------------------------------------------------------------------ */

static int state_new(const struct analysis *run, void **state)
{
	const struct analyzer *analyzer = run->analyzer;
	void *fresh = checked_array(1, analyzer->state_size + 1);
	int status = 0;

	if (analyzer->start)
		status = analyzer->start(fresh, run);
	*state = fresh;
	return status;
}

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

void replay_free(const struct analysis *run, void *state)
{
	if (!state)
		return;
	if (run->analyzer->stop)
		run->analyzer->stop(state);
	free(state);
}

/* ---- rows and intervals ------------------------------------------------------------------ */

static int end_row(struct lane *lane)
{
	const struct replay *replay = lane->plan->replay;
	int status = 0;

	if (lane->span.instructions) {
		status = replay->run->analyzer->row(lane->state, replay->run, &lane->span,
						    replay->report);
		if (!status)
			status = state_clear(replay->run, lane->state);
	}
	lane->span.instructions = 0;
	return status;
}

static int hand_on(struct lane *lane, const struct tf_item *item)
{
	const struct analyzer *analyzer = lane->plan->replay->run->analyzer;

	if (lane->span.instructions == 0)
		lane->span.first = lane->thread == TF_MERGED ? lane->position : item->ordinal;
	lane->span.instructions += item->instructions;
	lane->position += item->instructions;
	lane->counted += item->instructions;
	switch (item->kind) {
	case TF_ITEM_PATHS:
		return analyzer->paths(lane->state, item);
	case TF_ITEM_BLOCKS:
		return analyzer->blocks(lane->state, item);
	default:
		return analyzer->insns(lane->state, item);
	}
}

/* Splits *item after the execution that contains instruction `limit` (from 1) of it: what is
 * before is returned, what is left stays. */
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

/* An interval ends at the first execution that reaches a multiple of its length. */
static int feed_batch(struct lane *lane, struct tf_item item)
{
	uint64_t interval = lane->plan->replay->interval;
	int status = 0;

	while (interval && !status) {
		uint64_t left = interval - lane->counted % interval;

		if (item.instructions < left)
			break;
		struct tf_item head = split(&item, left);

		status = hand_on(lane, &head);
		if (!status)
			status = end_row(lane);
	}
	if (!status && item.count)
		status = hand_on(lane, &item);
	return status;
}

/* ---- lanes ------------------------------------------------------------------------------- */

static int feed_event(struct lane *lane, const struct tf_event *event)
{
	const struct replay *replay = lane->plan->replay;
	const struct analyzer *analyzer = replay->run->analyzer;
	bool *inside = lane->inside ? &lane->inside[event->thread] : NULL;
	int status = 0;

	if (inside && event->kind == TF_EVENT_REGION_BEGIN &&
	    event->region.index == replay->region)
		*inside = true;
	if (analyzer->event && (!inside || *inside))
		status = analyzer->event(lane->state, event);
	if (inside && event->kind == TF_EVENT_REGION_END && event->region.index == replay->region)
		*inside = false;
	return status;
}

static int feed(struct lane *lane, const struct tf_item *item)
{
	if (item->kind == TF_ITEM_EVENT)
		return feed_event(lane, item->event);
	if (lane->inside && !lane->inside[item->thread]) {
		lane->position += item->instructions;
		return 0;
	}
	return feed_batch(lane, *item);
}

static void show_progress(struct lane *lane, const struct tf_item *item)
{
	struct plan *plan = lane->plan;
	uint64_t done = atomic_fetch_add_explicit(&plan->done, item->instructions,
						  memory_order_relaxed);

	if (lane->is_first)
		progress_update(&plan->progress, done + item->instructions);
}

static enum tf_view view_of(const struct replay *replay)
{
	const struct analysis *run = replay->run;
	const struct analyzer *analyzer = run->analyzer;
	bool fine = run->block_view || run->partial || replay->interval ||
		    (run->columns & TF_ADDRESSES && !analyzer->path_addresses);

	if (analyzer->paths && !(analyzer->blocks && fine))
		return TF_VIEW_PATHS;
	return analyzer->blocks ? TF_VIEW_BLOCKS : TF_VIEW_INSNS;
}

static struct ahead *open_part(const struct lane *lane, const struct part *part)
{
	const struct replay *replay = lane->plan->replay;
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.view = view_of(replay);
	options.columns = replay->run->columns;
	if (replay->region != TF_NONE)
		options.columns |= TF_EVENTS;
	options.thread = part->thread;
	options.first = part->first;
	options.count = part->count;
	return ahead_open(replay->run->reader, &options, lane->plan->n_decoders);
}

static int run_part(struct lane *lane, const struct part *part)
{
	struct ahead *ahead = open_part(lane, part);
	struct tf_error error;
	struct tf_item item;
	int got, status = 0;

	lane->thread = part->thread;
	lane->position = part->first;
	while (!status && (got = ahead_next(ahead, &item, &error))) {
		if (got < 0 && error.status != TF_E_DAMAGED) {
			command_error("%s", error.text);
			status = EXIT_FAILED;
		} else if (got < 0) {
			command_warning("%s", error.text);
			lane->damaged = true;
		} else if (!atomic_load_explicit(&lane->plan->stopped, memory_order_relaxed)) {
			status = feed(lane, &item);
			show_progress(lane, &item);
		} else {
			break;
		}
	}
	ahead_close(ahead);
	return status;
}

static void *run_lane(void *opaque)
{
	struct lane *lane = opaque;
	const struct replay *replay = lane->plan->replay;

	if (replay->region != TF_NONE)
		lane->inside = checked_array(replay->run->n_threads + 1, sizeof(*lane->inside));
	for (size_t i = 0; i < lane->n_parts && !lane->status; i++)
		lane->status = run_part(lane, &lane->plan->parts[lane->first_part + i]);
	if (lane->status)
		atomic_store(&lane->plan->stopped, true);
	free(lane->inside);
	return NULL;
}

/* ---- the plan ---------------------------------------------------------------------------- */

static void add_part(struct plan *plan, uint32_t thread, uint64_t first, uint64_t end)
{
	MAKE_ROOM(plan->parts, plan->n_parts, plan->room);
	plan->parts[plan->n_parts++] = (struct part){ thread, first, end - first };
}

static uint64_t end_of(const struct replay *replay)
{
	uint64_t end;

	return __builtin_add_overflow(replay->first, replay->count, &end) ? UINT64_MAX : end;
}

/*
 * Cuts the streams of the threads into lanes of about equal length, before chunks. The parts
 * cover the range without holes, so that what is lost between chunks is met as well.
 */
static size_t cut(struct plan *plan, struct lane *lanes, uint32_t first_thread,
		  uint32_t end_thread)
{
	const struct replay *replay = plan->replay;
	uint64_t total = 0, passed = 0;
	size_t n_chunks, next = 0, n_lanes = 1;
	struct chunk *chunks = chunks_between(replay->run->reader, first_thread, end_thread,
					      replay->first, end_of(replay), &n_chunks);

	for (size_t i = 0; i < n_chunks; i++)
		total += chunks[i].instructions;
	for (uint32_t t = first_thread; t < end_thread; t++) {
		uint64_t from = replay->first;

		for (; next < n_chunks && chunks[next].thread == t; next++) {
			if (n_lanes < replay->jobs && passed >= total / replay->jobs * n_lanes &&
			    passed) {
				if (chunks[next].first > from)
					add_part(plan, t, from, chunks[next].first);
				from = chunks[next].first;
				lanes[n_lanes++].first_part = plan->n_parts;
			}
			passed += chunks[next].instructions;
		}
		add_part(plan, t, from, end_of(replay));
	}
	for (size_t i = 0; i < n_lanes; i++)
		lanes[i].n_parts = (i + 1 < n_lanes ? lanes[i + 1].first_part : plan->n_parts) -
				   lanes[i].first_part;
	free(chunks);
	return n_lanes;
}

/* Returns the number of lanes: one where the order of threads matters. */
static size_t make_plan(struct plan *plan, struct lane *lanes, uint32_t thread)
{
	const struct replay *replay = plan->replay;
	uint32_t n_threads = replay->run->n_threads;
	bool ordered = !replay->run->analyzer->unordered || replay->interval ||
		       replay->first || replay->count != UINT64_MAX;

	if (thread != TF_MERGED)
		return cut(plan, lanes, thread, thread + 1);
	if (n_threads == 1 || !ordered)
		return cut(plan, lanes, 0, n_threads);
	add_part(plan, TF_MERGED, replay->first, end_of(replay));
	lanes[0].n_parts = 1;
	return 1;
}

static uint64_t expected_instructions(const struct replay *replay, uint32_t thread)
{
	struct tf_totals totals = replay->run->info.totals;

	if (thread != TF_MERGED &&
	    tf_get_thread_totals(replay->run->reader, thread, &totals, NULL) < 0)
		return 0;
	if (replay->first >= totals.instructions)
		return 0;
	totals.instructions -= replay->first;
	return totals.instructions < replay->count ? totals.instructions : replay->count;
}

/* ---- running it -------------------------------------------------------------------------- */

static int run_lanes(struct lane *lanes, size_t n_lanes)
{
	size_t started = 1;
	int status = 0;

	while (started < n_lanes &&
	       !pthread_create(&lanes[started].pthread, NULL, run_lane, &lanes[started]))
		started++;
	run_lane(&lanes[0]);
	for (size_t i = started; i < n_lanes; i++)
		run_lane(&lanes[i]);
	for (size_t i = 1; i < started; i++)
		pthread_join(lanes[i].pthread, NULL);
	for (size_t i = 0; i < n_lanes && !status; i++)
		status = lanes[i].status;
	return status;
}

/* Merges the lanes into the first, in order. */
static int merge_lanes(struct replay *replay, struct lane *lanes, size_t n_lanes)
{
	struct span *span = &lanes[0].span;
	int status = 0;

	replay->damaged |= lanes[0].damaged;
	replay->fed |= lanes[0].counted;
	for (size_t i = 1; i < n_lanes; i++) {
		replay->damaged |= lanes[i].damaged;
		replay->fed |= lanes[i].counted;
		if (!span->instructions)
			span->first = lanes[i].span.first;
		span->instructions += lanes[i].span.instructions;
		if (!status)
			status = replay->run->analyzer->merge(lanes[0].state, lanes[i].state);
	}
	return status;
}

static void name_span(struct span *span, uint32_t thread)
{
	if (thread == TF_MERGED)
		strcpy(span->thread, "all");
	else
		snprintf(span->thread, sizeof(span->thread), "%" PRIu32, thread);
}

int replay_run(struct replay *replay, uint32_t thread, bool rows, void **state)
{
	struct replay limited = *replay;
	struct plan plan = { .replay = &limited };
	int status = 0;

	if (!replay->run->analyzer->merge || replay->region != TF_NONE || replay->interval)
		limited.jobs = 1;
	struct lane *lanes = checked_array(limited.jobs, sizeof(*lanes));
	size_t n_lanes = make_plan(&plan, lanes, thread);

	plan.n_decoders = n_lanes == 1 && replay->jobs > 1 ? replay->jobs : 0;
	for (size_t i = 0; i < n_lanes; i++) {
		lanes[i].plan = &plan;
		lanes[i].is_first = i == 0;
		name_span(&lanes[i].span, thread);
		if (!status)
			status = state_new(replay->run, &lanes[i].state);
	}
	if (!status) {
		progress_begin(&plan.progress, "analyzing", expected_instructions(replay, thread),
			       replay->quiet);
		status = run_lanes(lanes, n_lanes);
		progress_end(&plan.progress);
	}
	if (!status)
		status = merge_lanes(replay, lanes, n_lanes);
	if (!status && rows)
		status = end_row(&lanes[0]);
	if (!status && !rows) {
		*state = lanes[0].state;
		lanes[0].state = NULL;
	}
	for (size_t i = 0; i < n_lanes; i++)
		replay_free(replay->run, lanes[i].state);
	free(plan.parts);
	free(lanes);
	return status;
}
