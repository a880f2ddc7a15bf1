/* SPDX-License-Identifier: MIT */
/* Makes a trace of a part of another one. */
#include "traceformat/rewrite/cut.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/rewrite.h"

/* ---- which instructions ------------------------------------------------------------------ */

static uint64_t end_of_thread(const struct tf_reader *r, uint32_t thread)
{
	const struct thread_chunks *chunks;
	const struct section *s;

	if (!reader_has_thread(r, thread) || thread >= r->chunks.count ||
	    !r->chunks.at[thread].sections.count)
		return 0;
	chunks = &r->chunks.at[thread];
	s = &r->sections.at[chunks->sections.at[chunks->sections.count - 1]];
	return s->first + s->count;
}

/* A walk along the merged order, with the place that each thread has reached. */
struct order {
	const struct tf_reader *r;
	size_t next;       /* run */
	uint64_t used;     /* of it, instructions */
	uint32_t drained;  /* behind the last run: thread */
	uint64_t *reached; /* by thread */
};

/*
 * Walks on for `steps`, but stops where `thread` (unless it is TF_NONE) has reached `until`.
 * Returns the steps made.
 */
static uint64_t order_go(struct order *o, uint64_t steps, uint32_t thread, uint64_t until)
{
	const struct tf_reader *r = o->r;
	uint64_t made = 0;

	while (made < steps && (thread == TF_NONE || o->reached[thread] < until)) {
		bool scheduled = o->next < r->schedule.count;
		uint32_t t = scheduled ? r->schedule.at[o->next].thread : o->drained;
		uint64_t left, end, n = steps - made;

		if (!scheduled && t >= r->threads.count)
			break;
		if (!reader_has_thread(r, t)) {
			o->next += scheduled;
			o->drained += !scheduled;
			o->used = 0;
			continue;
		}
		end = end_of_thread(r, t);
		left = scheduled ? r->schedule.at[o->next].instructions - o->used : UINT64_MAX;
		if (left > end - o->reached[t])
			left = end - o->reached[t];
		if (n > left)
			n = left;
		if (t == thread && n > until - o->reached[t])
			n = until - o->reached[t];
		o->reached[t] += n;
		o->used += n;
		made += n;
		if (n == left) {
			o->next += scheduled;
			o->drained += !scheduled;
			o->used = 0;
		}
	}
	return made;
}

/* Sets the ranges of all threads. Returns false if the slice is empty. */
static bool find_ranges(const struct tf_reader *r, const struct tf_slice *slice,
			struct cut_range *ranges, struct order *o)
{
	uint32_t n = (uint32_t)r->threads.count, one = slice->thread;
	uint64_t warmup = slice->warmup < slice->count ? slice->warmup : slice->count;
	bool merged = one == TF_MERGED, any = false;

	order_go(o, merged ? slice->first : UINT64_MAX, merged ? TF_NONE : one, slice->first);
	for (uint32_t t = 0; t < n; t++)
		ranges[t] = (struct cut_range){ .thread = t,
						.first = o->reached[t],
						.reached = o->reached[t],
						.left_out = TF_NONE };
	order_go(o, merged ? warmup : UINT64_MAX, merged ? TF_NONE : one, slice->first + warmup);
	for (uint32_t t = 0; t < n; t++)
		ranges[t].simulation = o->reached[t];
	order_go(o, merged ? slice->count - warmup : UINT64_MAX, merged ? TF_NONE : one,
		 slice->first + slice->count < slice->first ? UINT64_MAX
							    : slice->first + slice->count);
	for (uint32_t t = 0; t < n; t++) {
		uint64_t reached = merged || t == one ? o->reached[t] : ranges[t].first;

		ranges[t].end = reached;
		ranges[t].rest = end_of_thread(r, t) - reached;
		any |= ranges[t].end > ranges[t].first;
	}
	return any;
}

/* ---- the whole --------------------------------------------------------------------------- */

/*
 * Returns how many instructions of a run of the schedule the slice has. Call it for each run in
 * turn.
 */
static uint64_t sliced(struct order *o, const struct cut_range *ranges, size_t run)
{
	const struct schedule_run *now = &o->r->schedule.at[run];
	const struct cut_range *range;
	uint64_t from, to;

	if (!reader_has_thread(o->r, now->thread))
		return 0;
	range = &ranges[now->thread];
	from = o->reached[now->thread];
	to = o->reached[now->thread] += now->instructions;
	from = from > range->first ? from : range->first;
	to = to < range->end ? to : range->end;
	return from < to ? to - from : 0;
}

static void rewind_order(struct order *o)
{
	memset(o->reached, 0, o->r->threads.count * sizeof(*o->reached));
}

static int copy_schedule(struct cut *c, struct order *o, struct tf_error *error)
{
	int status = 0;

	rewind_order(o);
	for (size_t i = 0; i < c->r->schedule.count && status == 0; i++) {
		uint64_t n = sliced(o, c->ranges, i);

		if (n)
			status = tf_writer_schedule(c->w, c->r->schedule.at[i].thread, n, error);
	}
	return status;
}

/* Returns the number of a thread's process, or that behind the last one if it is not known. */
static size_t process_of(const struct tf_reader *r, uint32_t thread)
{
	uint32_t process = r->threads.at[thread]->process;

	return process < r->processes.count ? process : r->processes.count;
}

/*
 * Gives a range the threads of its process that are left out, unless another range has them.
 * left_out: by process, the first such thread, or TF_NONE.
 */
static void give_left_out(struct cut *c, uint32_t *left_out, uint32_t thread)
{
	uint32_t *first = &left_out[process_of(c->r, thread)];

	if (*first != TF_NONE)
		c->ranges[thread].left_out = *first;
	*first = TF_NONE;
}

/* Sets left_out of all ranges. */
static int find_left_out(struct cut *c, struct order *o, struct tf_error *error)
{
	const struct tf_reader *r = c->r;
	uint32_t n = (uint32_t)r->threads.count;
	uint32_t *left_out = malloc((r->processes.count + 1) * sizeof(*left_out));

	if (!left_out)
		return fail_memory(error);
	memset(left_out, 0xff, (r->processes.count + 1) * sizeof(*left_out));
	for (uint32_t t = n; t--;)
		if (c->ranges[t].reached && c->ranges[t].end == c->ranges[t].first) {
			c->ranges[t].left_out = left_out[process_of(r, t)];
			left_out[process_of(r, t)] = t;
		}
	rewind_order(o);
	for (size_t i = 0; i < r->schedule.count; i++)
		if (sliced(o, c->ranges, i))
			give_left_out(c, left_out, r->schedule.at[i].thread);
	for (uint32_t t = 0; t < n; t++)
		if (c->ranges[t].end > c->ranges[t].first)
			give_left_out(c, left_out, t);
	free(left_out);
	return 0;
}

static int meta_number(struct cut *c, const char *key, uint64_t value, struct tf_error *error)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return tf_writer_meta(c->w, key, text, error);
}

static int write_meta(struct cut *c, const struct tf_slice *slice, struct tf_error *error)
{
	uint64_t instructions = 0, warmup = 0;
	const char *key, *value;
	int status = 0;

	for (uint32_t t = 0; t < c->r->threads.count; t++) {
		instructions += c->ranges[t].end - c->ranges[t].first;
		warmup += c->ranges[t].simulation - c->ranges[t].first;
	}
	for (size_t i = 0; status == 0 && (key = tf_meta_at(c->r, i, &value)); i++)
		status = tf_writer_meta(c->w, key, value, error);
	if (status == 0)
		rewrite_note_origin(c->r, c->w, "slice.parent");
	if (status == 0)
		status = slice->thread == TF_MERGED
				 ? tf_writer_meta(c->w, "slice.thread", "all", error)
				 : meta_number(c, "slice.thread", slice->thread, error);
	if (status == 0)
		status = meta_number(c, "slice.first", slice->first, error);
	if (status == 0)
		status = meta_number(c, "slice.instructions", instructions, error);
	if (status == 0)
		status = meta_number(c, "slice.warmup", warmup, error);
	for (size_t i = 0; i < slice->n_meta && status == 0; i++)
		status = tf_writer_meta(c->w, slice->meta[i].key, slice->meta[i].value, error);
	return status;
}

static int add_regions(struct cut *c, bool warms, struct tf_error *error)
{
	const struct tf_region warmup = { .name = "warmup" }, simulation = { .name = "simulation" };
	int status = 0;

	c->warmup_region = TF_NONE;
	if (warms)
		status = tf_writer_add_region(c->w, &warmup, &c->warmup_region, error);
	return status < 0 ? status : tf_writer_add_region(c->w, &simulation, &c->region, error);
}

static int cut_all(struct cut *c, const struct tf_slice *slice, struct order *order,
		   struct tf_error *error)
{
	uint32_t n = (uint32_t)c->r->threads.count;
	int status = write_meta(c, slice, error);

	if (status == 0)
		status = find_left_out(c, order, error);

	if (status == 0)
		status = cut_dictionary_begin(c, error);
	if (status == 0)
		status = add_regions(c, slice->warmup, error);
	for (uint32_t t = 0; t < n && status == 0; t++)
		if (c->ranges[t].end > c->ranges[t].first)
			status = cut_stream(c, &c->ranges[t], error);
	if (status == 0)
		status = copy_schedule(c, order, error);
	return status < 0 ? status : tf_writer_finish(c->w, -1, "slice", error);
}

/* Returns how many threads compress, beside the one that cuts. */
static unsigned n_compressing(const struct tf_slice *slice)
{
	bool given = slice->size > offsetof(struct tf_slice, jobs);

	return given && slice->jobs > 1 ? slice->jobs - 1 : 0;
}

/* Opens the file to write, or standard output for "-". */
static int open_output(const struct tf_reader *r, const char *to, struct tf_error *error)
{
	return rewrite_open(r, strcmp(to, "-") ? to : "/dev/stdout", error);
}

int tf_cut(struct tf_reader *r, const struct tf_slice *slice, const char *to,
	   struct tf_error *error)
{
	struct tf_writer_options options = {
		.size = sizeof(options),
		.no_addresses = r->compat & COMPAT_NO_ADDRESSES,
		.code_withheld = r->incompat & INCOMPAT_CODE_WITHHELD,
		.order_exact = r->compat & COMPAT_ORDER_EXACT,
		.threads = n_compressing(slice),
	};
	struct cut c = { .r = r };
	struct order order = { .r = r };
	int status = tf_load(r, error), fd = -1;

	if (status < 0)
		return status;
	if (slice->thread != TF_MERGED && !reader_has_thread(r, slice->thread))
		return fail(error, TF_E_ARGUMENT, "%s: there is no thread %u", r->name,
			    slice->thread);
	c.ranges = calloc(r->threads.count + 1, sizeof(*c.ranges));
	order.reached = calloc(r->threads.count + 1, sizeof(*order.reached));
	if (!c.ranges || !order.reached)
		status = fail_memory(error);
	else if (!find_ranges(r, slice, c.ranges, &order))
		status = fail(error, TF_E_ARGUMENT,
			      "%s: there is nothing from instruction %" PRIu64 " on", r->name,
			      slice->first);
	if (status == 0)
		status = fd = open_output(r, to, error);
	if (fd >= 0)
		status = writer_open(fd, to, &options, 0, &c.w, error);
	if (fd >= 0 && status == 0)
		status = cut_all(&c, slice, &order, error);
	cut_dictionary_end(&c);
	tf_writer_free(c.w);
	free(c.ranges);
	free(order.reached);
	if (fd >= 0)
		rewrite_close(fd, to, status);
	return status;
}
