/* SPDX-License-Identifier: MIT */
/* Cursors replay one lane, or all lanes in the order of the schedule. */
#include "traceformat/common/error.h"
#include "traceformat/replay/lane.h"

#include <stdlib.h>
#include <zstd.h>

/*
 * A thread's lane, which exists only from the thread's first turn to its end, because it is large.
 */
struct merged_lane {
	struct lane *lane;
	bool ended;
};

struct tf_cursor {
	struct tf_reader *reader;
	struct tf_cursor_options options;
	bool started;
	uint64_t left; /* instructions still to hand out */

	struct lane *only; /* not merged */

	ARRAY(struct merged_lane) lanes; /* merged: by thread */
	void *decompressor;              /* lent to one lane at a time */
	size_t next_run;                 /* in the reader's schedule */
	uint32_t thread;                 /* of the present run */
	uint64_t run_end;                /* ordinal at which its run ends */
	bool in_run;
	bool draining;    /* the schedule is at its end */
	uint32_t drained; /* after the schedule: threads handed out to their end */
};

static bool more_than_one(unsigned bits)
{
	return bits & (bits - 1);
}

int tf_cursor_open(struct tf_reader *r, const struct tf_cursor_options *options,
		   struct tf_cursor **cursor, struct tf_error *error)
{
	struct tf_cursor_options o = TF_CURSOR_OPTIONS;
	struct tf_cursor *c;
	int status;

	if (options->size > sizeof(o))
		return fail(error, TF_E_ARGUMENT, "cursor options of a newer library");
	memcpy(&o, options, options->size);
	if (o.view != TF_VIEW_PATHS && o.view != TF_VIEW_BLOCKS && o.view != TF_VIEW_INSNS)
		return fail(error, TF_E_ARGUMENT, "there is no view %d", (int)o.view);
	if (more_than_one(o.columns & (TF_ADDRESSES | TF_REPETITIONS | TF_EXTENTS)))
		return fail(error, TF_E_ARGUMENT,
			    "addresses tell repetitions and extents, too: ask for one of them");
	if (o.view != TF_VIEW_PATHS && (o.columns & (TF_REPETITIONS | TF_EXTENTS)))
		return fail(error, TF_E_ARGUMENT,
			    "repetitions and extents are handed out with paths alone");
	status = tf_load(r, error);
	if (status < 0)
		return status;
	if (o.thread != TF_MERGED && !reader_has_thread(r, o.thread))
		return fail(error, TF_E_ARGUMENT, "%s: there is no thread %u", r->name, o.thread);
	c = calloc(1, sizeof(*c));
	if (!c)
		return fail_memory(error);
	c->reader = r;
	c->options = o;
	c->left = o.count;
	if (o.thread == TF_MERGED && r->threads.count == 1 && reader_has_thread(r, 0))
		c->options.thread = 0;
	if (c->options.thread != TF_MERGED)
		c->only = lane_new(r, c->options.thread, o.view, o.columns);
	if (c->options.thread != TF_MERGED && !c->only) {
		free(c);
		return fail_memory(error);
	}
	*cursor = c;
	return 0;
}

void tf_cursor_close(struct tf_cursor *c)
{
	if (!c)
		return;
	lane_free(c->only);
	for (size_t i = 0; i < c->lanes.count; i++)
		lane_free(c->lanes.at[i].lane);
	free(c->lanes.at);
	ZSTD_freeDCtx(c->decompressor);
	free(c);
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * Lends the cursor's decompressor to a lane. There may be many lanes, and a decompressor is as
 * large as the rest of a lane with a short chunk.
 */
static void lend_decompressor(struct tf_cursor *c, struct lane *l)
{
	if (l->chunk.decompressor)
		return;
	l->chunk.decompressor = c->decompressor;
	c->decompressor = NULL;
}

static void take_back_decompressor(struct tf_cursor *c, struct lane *l)
{
	if (c->decompressor)
		return;
	c->decompressor = l->chunk.decompressor;
	l->chunk.decompressor = NULL;
}

static struct lane *lane_of(struct tf_cursor *c, uint32_t thread, struct tf_error *error)
{
	if (!RESERVE(c->lanes, (size_t)thread + 1))
		goto out_of_memory;
	if (c->lanes.count <= thread)
		c->lanes.count = (size_t)thread + 1;
	if (!c->lanes.at[thread].lane)
		c->lanes.at[thread].lane = lane_new(c->reader, thread, c->options.view,
						    c->options.columns);
	if (c->lanes.at[thread].lane) {
		lend_decompressor(c, c->lanes.at[thread].lane);
		return c->lanes.at[thread].lane;
	}
out_of_memory:
	fail_memory(error);
	return NULL;
}

/* Returns true if the thread has chunks, and so needs a lane. */
static bool has_chunks(const struct tf_reader *r, uint32_t thread)
{
	return reader_has_thread(r, thread) && thread < r->chunks.count &&
	       r->chunks.at[thread].sections.count;
}

static uint64_t end_of_thread(const struct tf_reader *r, uint32_t thread)
{
	const struct thread_chunks *chunks;
	const struct section *s;

	if (!has_chunks(r, thread))
		return 0;
	chunks = &r->chunks.at[thread];
	s = &r->sections.at[chunks->sections.at[chunks->sections.count - 1]];
	return s->count > MAX_CHUNK_INSTRUCTIONS ? s->first : s->first + s->count;
}

/*
 * Finds the thread whose turn step `first` is, and how far each thread has got by then: *reached.
 * At the end of a run it is still that thread's turn, for the events that close the run.
 */
static void find_step(struct tf_cursor *c, uint64_t first, uint64_t *reached)
{
	struct tf_reader *r = c->reader;

	for (; first && c->next_run < r->schedule.count; c->next_run++) {
		const struct schedule_run *run = &r->schedule.at[c->next_run];
		uint64_t before;

		if (!reader_has_thread(r, run->thread))
			continue;
		before = reached[run->thread];
		c->in_run = run->instructions >= first;
		c->thread = run->thread;
		c->run_end = saturating_add(before, run->instructions);
		reached[run->thread] = c->in_run ? before + first : c->run_end;
		first -= c->in_run ? first : run->instructions;
	}
	while (first && c->drained < r->threads.count) {
		uint64_t end = end_of_thread(r, c->drained), before = reached[c->drained];
		uint64_t rest = end > before ? end - before : 0;

		reached[c->drained] += rest < first ? rest : first;
		if (rest >= first)
			return;
		first -= rest;
		c->drained++;
	}
}

/*
 * Moves a thread's lane to the ordinal `reached`: the end of its last run, or its place in this
 * one.
 */
static int seek_lane(struct tf_cursor *c, uint32_t thread, uint64_t reached, struct tf_error *error)
{
	bool current = thread == (c->in_run ? c->thread : c->drained);
	struct lane *l = lane_of(c, thread, error);
	struct tf_item closing;
	int status;

	if (!l)
		return TF_E_MEMORY;
	l->scheduled = current && c->in_run ? c->run_end : reached;
	status = lane_seek(l, reached, error);
	if (current && c->left &&
	    l->ordinal < reached) /* executions before `reached` do not count */
		c->left = saturating_add(c->left, reached - l->ordinal);
	while (status == 0 && !current && lane_closing_event(l, &closing))
		;
	take_back_decompressor(c, l);
	return status;
}

static int seek_merged(struct tf_cursor *c, uint64_t first, struct tf_error *error)
{
	size_t n = c->reader->threads.count;
	uint64_t *reached = calloc(n + 1, sizeof(*reached));
	int status = 0;

	if (!reached)
		return fail_memory(error);
	find_step(c, first, reached);
	for (uint32_t t = 0; t < n; t++) {
		struct tf_error later;
		int sought = 0;

		if (reached[t] && has_chunks(c->reader, t))
			sought = seek_lane(c, t, reached[t], status ? &later : error);
		status = status ? status : sought;
	}
	free(reached);
	return status;
}

/* Returns true unless the thread is known to have nothing left to hand out. */
static bool has_more(const struct tf_cursor *c, uint32_t thread)
{
	return has_chunks(c->reader, thread) &&
	       (thread >= c->lanes.count || !c->lanes.at[thread].ended);
}

/* Ends the thread's turn, and frees its lane if the stream has ended. */
static void leave_lane(struct tf_cursor *c, struct lane *l)
{
	struct merged_lane *merged = &c->lanes.at[l->thread];

	take_back_decompressor(c, l);
	merged->ended = lane_ended(l);
	if (!merged->ended)
		return;
	lane_free(l);
	merged->lane = NULL;
}

/* Chooses the lane whose turn it is. Returns NULL at the end (*status 0) or on an error. */
static struct lane *next_lane(struct tf_cursor *c, int *status, struct tf_error *error)
{
	struct tf_reader *r = c->reader;
	struct lane *l;

	*status = 0;
	while (!c->in_run && c->next_run < r->schedule.count) {
		const struct schedule_run *run = &r->schedule.at[c->next_run++];

		if (!has_more(c, run->thread) || run->instructions == 0)
			continue;
		l = lane_of(c, run->thread, error);
		if (!l) {
			*status = TF_E_MEMORY;
			return NULL;
		}
		c->thread = run->thread;
		c->run_end = l->scheduled = saturating_add(l->scheduled, run->instructions);
		c->in_run = true;
	}
	if (!c->in_run) {
		while (c->drained < r->threads.count && !has_more(c, c->drained))
			c->drained++;
		if (c->drained >= r->threads.count)
			return NULL;
		c->thread = c->drained;
		c->run_end = UINT64_MAX;
		c->in_run = c->draining = true;
	}
	l = lane_of(c, c->thread, error);
	if (!l)
		*status = TF_E_MEMORY;
	return l;
}

static int next_merged(struct tf_cursor *c, struct tf_item *item, struct tf_error *error)
{
	for (;;) {
		struct lane *l;
		uint64_t stop;
		int status;

		l = next_lane(c, &status, error);
		if (!l)
			return status;
		stop = saturating_add(l->ordinal, c->left);
		status = lane_next(l, stop < c->run_end ? stop : c->run_end, item, error);
		if (status != 0)
			return status;
		if (l->ordinal < c->run_end && c->left == 0)
			return 0;
		if (lane_closing_event(l, item))
			return 1;
		c->drained += c->draining;
		c->in_run = false;
		leave_lane(c, l);
	}
}

int tf_next(struct tf_cursor *c, struct tf_item *item, struct tf_error *error)
{
	uint64_t first = c->options.first;
	int status = 0;

	if (!c->started) {
		c->started = true;
		if (c->only && first)
			status = lane_seek(c->only, first, error);
		else if (first)
			status = seek_merged(c, first, error);
		if (status < 0)
			return status;
	}
	if (c->left == 0)
		return 0;
	status = c->only ? lane_next(c->only, saturating_add(c->options.first, c->options.count),
				     item, error)
			 : next_merged(c, item, error);
	if (status > 0 && !c->only && item->kind != TF_ITEM_EVENT && c->left != UINT64_MAX)
		c->left -= item->instructions < c->left ? item->instructions : c->left;
	return status;
}
