/* SPDX-License-Identifier: MIT */
#include "analyzers/common/replay.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/ahead.h"
#include "analyzers/common/replay_parts.h"
#include "analyzers/common/state_bytes.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/memory_watch.h"
#include "traceformat/tracesamples.h"

/* ---- states ------------------------------------------------------------------------------ */

int replay_new(const struct analysis *run, void **state)
{
	const struct analyzer *analyzer = run->analyzer;
	void *fresh = checked_array(1, analyzer->state_size + 1);
	int status = 0;

	if (analyzer->start)
		status = analyzer->start(fresh, run);
	*state = fresh;
	return status;
}

void replay_free(const struct analysis *run, void *state)
{
	if (!state)
		return;
	if (run->analyzer->stop)
		run->analyzer->stop(state);
	free(state);
}

bool replay_can_merge(const struct analysis *run)
{
	return state_can_merge(run->analyzer) && !run->analyzer->shares && !run->one_state;
}

/* ---- lanes ------------------------------------------------------------------------------- */

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
	bool fine = run->block_view || run->partial || replay->interval || replay->warmup ||
		    (run->columns & TF_ADDRESSES && !analyzer->path_addresses);

	if (analyzer->paths && !(analyzer->blocks && fine))
		return TF_VIEW_PATHS;
	return analyzer->blocks || analyzer->access ? TF_VIEW_BLOCKS : TF_VIEW_INSNS;
}

/* Returns true if all batches of a part are fed to the state as they are. */
static bool may_digest(const struct replay *replay)
{
	return replay->run->digests && !replay->interval && !replay->warmup && !replay->excluded &&
	       !replay->left_out && replay->region == TF_NONE;
}

static struct ahead *open_part(const struct lane *lane, const struct part *part)
{
	const struct replay *replay = lane->plan->replay;
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;

	options.view = view_of(replay);
	options.columns = replay->run->columns;
	if (options.columns & TF_EXTENTS && options.view != TF_VIEW_PATHS)
		options.columns ^= TF_EXTENTS | TF_ADDRESSES;
	if (replay->region != TF_NONE)
		options.columns |= TF_EVENTS;
	options.thread = part->thread;
	options.first = part->first;
	options.count = part->count;
	return ahead_open(replay->run->reader, &replay->chunks, &options, lane->plan->n_decoders,
			  may_digest(replay) ? replay->run : NULL);
}

enum { ITEMS_UNWATCHED = 4096 };

static int run_part(struct lane *lane, const struct part *part)
{
	struct ahead *ahead = open_part(lane, part);
	struct tf_error error;
	struct tf_item item;
	unsigned n_items = 0;
	int got, status = 0;

	lane->thread = part->thread;
	lane->position = part->first;
	lane->warm_end = part->first + lane->plan->replay->warmup;
	lane->phase = lane->plan->replay->warmup ? LANE_WARMS_UP : LANE_COUNTS;
	while (!status && (got = ahead_next(ahead, &item, &error))) {
		if (got < 0 && error.status != TF_E_DAMAGED) {
			command_error("%s", error.text);
			status = EXIT_FAILED;
		} else if (got < 0) {
			command_warning("%s", error.text);
			lane->damaged = true;
		} else if (!atomic_load_explicit(&lane->plan->stopped, memory_order_relaxed)) {
			void *digest = ahead_digest(ahead);

			status = digest ? lane_take(lane, &item, digest) : lane_feed(lane, &item);
			if (++n_items % ITEMS_UNWATCHED == 0)
				memory_watch();
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
		lane->status = run_part(lane, &lane->plan->parts.at[lane->first_part + i]);
	if (!lane->status)
		lane->status = lane_end_warmup(lane);
	if (lane->status)
		atomic_store(&lane->plan->stopped, true);
	free(lane->inside);
	return NULL;
}

/* ---- running it -------------------------------------------------------------------------- */

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

/* Adds a lane's result to the first lane's, which perhaps has to replay the parts of the lane. */
static int merge_lane(const struct replay *replay, struct lane *first, const struct lane *lane)
{
	struct lane again = *lane;
	int status = state_merge(replay->run->analyzer, first->state, lane->state);

	if (status != ANALYZER_FEED_AGAIN)
		return status;
	again.state = first->state;
	again.plan->n_decoders = replay->jobs - 1;
	run_lane(&again);
	return again.status;
}

/* Merges the lanes into the first, in order. */
static int merge_lanes(struct replay *replay, struct lane *lanes, size_t n_lanes)
{
	struct analyzer_span *span = &lanes[0].span;
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
			status = merge_lane(replay, &lanes[0], &lanes[i]);
	}
	return status;
}

static void name_span(struct analyzer_span *span, const struct replay *replay, uint32_t thread)
{
	if (replay->row_name)
		snprintf(span->thread, sizeof(span->thread), "%s", replay->row_name);
	else if (thread == TF_MERGED)
		strcpy(span->thread, "all");
	else
		snprintf(span->thread, sizeof(span->thread), "%" PRIu32, thread);
}

int replay_run(struct replay *replay, uint32_t thread, bool rows, void **state)
{
	struct replay limited = *replay;
	struct plan plan = { .replay = &limited };
	int status = 0;

	if (!replay_can_merge(replay->run) || replay->region != TF_NONE || replay->interval ||
	    replay->warmup)
		limited.jobs = 1;
	struct lane *lanes = checked_array(limited.jobs, sizeof(*lanes));
	size_t n_lanes = plan_lanes(&plan, lanes, thread);

	if (n_lanes == 1 && !replay->run->uses_jobs)
		plan.n_decoders = replay->jobs - 1;
	replay->run->merged = replay->run->parts || n_lanes > 1;
	for (size_t i = 0; i < n_lanes; i++) {
		lanes[i].plan = &plan;
		lanes[i].is_first = i == 0;
		name_span(&lanes[i].span, replay, thread);
		if (!status)
			status = replay_new(replay->run, &lanes[i].state);
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
		status = lane_end_row(&lanes[0]);
	if (!status && state) {
		*state = lanes[0].state;
		lanes[0].state = NULL;
	}
	for (size_t i = 0; i < n_lanes; i++)
		replay_free(replay->run, lanes[i].state);
	free(plan.parts.at);
	free(lanes);
	return status;
}

int replay_feed(const struct replay *replay, uint32_t thread, void *state, bool *damaged)
{
	struct part part = { thread, replay->first, replay->count };
	struct plan plan = { .replay = replay, .n_decoders = replay->jobs - 1 };
	struct lane lane = { .plan = &plan, .n_parts = 1, .state = state };

	plan.parts.at = &part;
	run_lane(&lane);
	*damaged |= lane.damaged;
	return lane.status;
}

/* Feeds vectors to a state. A damaged section is reported, and costs only its vectors. */
static int feed_vectors(struct replay *replay, struct tf_vectors *vectors, uint32_t thread,
			void *state)
{
	struct tf_vector vector;
	struct tf_error error;
	int found, status = 0;

	while (!status && (found = tf_vectors_next(vectors, &vector, &error)) != 0) {
		if (found < 0) {
			command_warning("%s", error.text);
			replay->damaged = true;
		} else if (thread == TF_MERGED || thread == vector.thread) {
			replay->fed = true;
			status = replay->run->analyzer->vector(state, &vector);
		}
	}
	return status;
}

int replay_vectors(struct replay *replay, uint32_t thread, void **state)
{
	struct tf_vectors *vectors;
	struct tf_error error;
	int status = replay_new(replay->run, state);

	if (!status && tf_vectors_open(replay->run->reader, &vectors, &error) < 0) {
		command_error("%s", error.text);
		status = EXIT_FAILED;
	} else if (!status) {
		tf_vectors_read_ahead(vectors, replay->run->jobs - 1, true);
		status = feed_vectors(replay, vectors, thread, *state);
		tf_vectors_close(vectors);
	}
	if (!status)
		return 0;
	replay_free(replay->run, *state);
	return status;
}
