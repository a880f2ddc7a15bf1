/* SPDX-License-Identifier: MIT */
/* Cursors: one lane, or all of them in the order of the schedule. */
#include "error.h"
#include "lane.h"

struct tf_cursor {
	struct tf_reader *reader;
	struct tf_cursor_options options;
	bool started;
	uint64_t left;			/* instructions still to hand out */

	struct lane *only;		/* not merged */

	ARRAY(struct lane *) lanes;	/* merged: by thread, NULL until needed */
	size_t next_run;		/* in the reader's schedule */
	uint32_t thread;		/* whose run it is */
	uint64_t run_end;		/* ordinal at which its run ends */
	bool in_run;
	uint32_t drained;		/* after the schedule: threads handed out to their end */
};

int tf_cursor_open(struct tf_reader *r, const struct tf_cursor_options *options,
		   struct tf_cursor **cursor, struct tf_error *error)
{
	struct tf_cursor_options o = TF_CURSOR_OPTIONS;
	struct tf_cursor *c;
	int status;

	if (options->size > sizeof(o))
		return fail(error, TF_E_ARGUMENT, "cursor options of a newer library");
	memcpy(&o, options, options->size);
	if (o.view == TF_VIEW_PATHS && (o.columns & TF_ADDRESSES))
		return fail(error, TF_E_ARGUMENT, "paths are handed out without addresses");
	status = tf_load(r, error);
	if (status < 0)
		return status;
	if (o.thread != TF_MERGED && o.thread >= r->threads.count)
		return fail(error, TF_E_ARGUMENT, "%s: there is no thread %u", r->name, o.thread);
	c = calloc(1, sizeof(*c));
	if (!c)
		return fail_memory(error);
	c->reader = r;
	c->options = o;
	c->left = o.count;
	if (o.thread == TF_MERGED && r->threads.count == 1)
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
		lane_free(c->lanes.at[i]);
	free(c->lanes.at);
	free(c);
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct lane *lane_of(struct tf_cursor *c, uint32_t thread, struct tf_error *error)
{
	if (!RESERVE(c->lanes, (size_t)thread + 1))
		goto out_of_memory;
	if (c->lanes.count <= thread)
		c->lanes.count = (size_t)thread + 1;
	if (!c->lanes.at[thread])
		c->lanes.at[thread] = lane_new(c->reader, thread, c->options.view,
					       c->options.columns);
	if (c->lanes.at[thread])
		return c->lanes.at[thread];
out_of_memory:
	fail_memory(error);
	return NULL;
}

static uint64_t end_of_thread(const struct tf_reader *r, uint32_t thread)
{
	const struct thread_chunks *chunks;
	const struct section *s;

	if (thread >= r->chunks.count || !r->chunks.at[thread].sections.count)
		return 0;
	chunks = &r->chunks.at[thread];
	s = &r->sections.at[chunks->sections.at[chunks->sections.count - 1]];
	return s->count > MAX_CHUNK_INSTRUCTIONS ? s->first : s->first + s->count;
}

/*
 * Goes to step `first` of the merged order: the runs before it tell how far each thread has got.
 */
static int seek_merged(struct tf_cursor *c, uint64_t first, struct tf_error *error)
{
	struct tf_reader *r = c->reader;
	ARRAY(uint64_t) reached = { 0 };
	int status = 0;

	if (!RESERVE(reached, r->threads.count + 1))
		return fail_memory(error);
	for (; c->next_run < r->schedule.count; c->next_run++) {
		const struct schedule_run *run = &r->schedule.at[c->next_run];

		if (run->thread >= r->threads.count)
			continue;
		if (run->instructions > first) {
			c->in_run = true;
			c->thread = run->thread;
			c->run_end = reached.at[run->thread] + run->instructions;
			c->next_run++;
			reached.at[run->thread] += first;
			first = 0;
			break;
		}
		reached.at[run->thread] += run->instructions;
		first -= run->instructions;
	}
	for (; first && c->drained < r->threads.count; c->drained++) {
		uint64_t end = end_of_thread(r, c->drained);
		uint64_t rest = end > reached.at[c->drained] ? end - reached.at[c->drained] : 0;

		if (rest > first) {
			reached.at[c->drained] += first;
			break;
		}
		first -= rest;
		reached.at[c->drained] += rest;
	}
	for (uint32_t t = 0; t < r->threads.count && status == 0; t++) {
		struct lane *l = reached.at[t] ? lane_of(c, t, error) : NULL;

		if (l) {
			l->scheduled = c->in_run && t == c->thread ? c->run_end : reached.at[t];
			status = lane_seek(l, reached.at[t], error);
		}
		if (!l && reached.at[t])
			status = TF_E_MEMORY;
	}
	free(reached.at);
	return status;
}

/* Chooses whose turn it is. NULL at the end (*status 0) or on an error. */
static struct lane *next_lane(struct tf_cursor *c, int *status, struct tf_error *error)
{
	struct tf_reader *r = c->reader;
	struct lane *l;

	*status = 0;
	while (!c->in_run && c->next_run < r->schedule.count) {
		const struct schedule_run *run = &r->schedule.at[c->next_run++];

		if (run->thread >= r->threads.count || run->instructions == 0)
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
		if (c->drained >= r->threads.count)
			return NULL;
		c->thread = c->drained;
		c->run_end = UINT64_MAX;
		c->in_run = true;
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
		c->drained += c->run_end == UINT64_MAX;
		c->in_run = false;
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
