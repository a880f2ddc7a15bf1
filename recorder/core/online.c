/* SPDX-License-Identifier: MIT */
#include "recorder/core/online.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/interval_clusters.h"
#include "recorder/core/phase_prediction.h"
#include "recorder/core/vector_summary.h"
#include "traceformat/common/array.h"
#include "traceformat/common/hash_table.h"

enum { IN_VAIN = 2 }; /* intervals that may be recorded in vain, for each possible cluster */

struct exit_executions {
	struct exit_of {
		uint32_t exit, executed;
	} key;
	int64_t times;
};

struct online {
	const struct record_online *options;
	struct interval_clusters *groups;
	struct phase_prediction *prediction;
	struct record_cluster *clusters;
	float (*slices)[VECTOR_SKETCH];           /* of the slices of clusters */
	double whole[VECTOR_SKETCH];              /* sum of all sketches */
	HASH_TABLE(struct exit_executions) exits; /* in the present interval, of all threads */
	ARRAY(struct record_member) intervals;    /* that have ended */
	uint64_t counted;                         /* instructions of the interval, as summed up */
	bool inexact;                             /* the session's count of them is not exact */
	uint64_t target;                          /* where the present interval should end */
	uint64_t before, filtered_before;         /* instructions before the present interval */
	bool begun, recording, warming;           /* of the present interval */
	uint64_t step, start, filtered_start;     /* of its slice, as struct record_cluster */
	uint64_t dropped;
};

struct online *online_new(const struct record_online *options)
{
	struct online *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->options = options;
	o->groups = interval_clusters_new(options->radius, options->max_clusters);
	o->prediction = phase_prediction_new(options->max_clusters);
	o->clusters = calloc(options->max_clusters, sizeof(*o->clusters));
	o->slices = calloc(options->max_clusters, sizeof(*o->slices));
	if (o->groups && o->prediction && o->clusters && o->slices)
		return o;
	online_free(o);
	return NULL;
}

void online_free(struct online *o)
{
	if (!o)
		return;
	interval_clusters_free(o->groups);
	phase_prediction_free(o->prediction);
	free(o->clusters);
	free(o->slices);
	TABLE_FREE(o->exits);
	free(o->intervals.at);
	free(o);
}

/* ---- executions -------------------------------------------------------------------------- */

bool online_execute(struct online *o, uint32_t exit, unsigned executed, int64_t times)
{
	struct exit_executions *e = TABLE_PUT(o->exits, ((struct exit_of){ exit, executed }));

	if (e)
		e->times += times;
	return e;
}

/* Adds the executions of one sign to the summary. */
static void sum_up_signed(struct online *o, struct vector_summary *summary, bool negative)
{
	for (size_t i = 0; i < o->exits.count; i++) {
		struct exit_executions *e = &o->exits.at[i];
		struct tf_vector_count count = { e->key.exit, e->key.executed, (uint64_t)e->times };

		if (!e->times || (e->times < 0) != negative)
			continue;
		o->counted += count.times * count.executed;
		vector_summary_add(summary, 0, &count);
		e->times = 0;
	}
}

/*
 * Adds the executions to the summary. Those that are taken back come last, so that the sum of a
 * block is never below 0.
 */
static void sum_up(struct online *o, struct vector_summary *summary)
{
	sum_up_signed(o, summary, false);
	sum_up_signed(o, summary, true);
}

/* ---- the end of an interval -------------------------------------------------------------- */

static void add_sketch(struct online *o, const float *sketch)
{
	for (unsigned i = 0; i < VECTOR_SKETCH; i++)
		o->whole[i] += (double)sketch[i];
}

/* Divides a sketch by the instructions of its interval. */
static void to_shares(float *sketch, uint64_t filtered)
{
	for (unsigned i = 0; i < VECTOR_SKETCH; i++)
		sketch[i] /= filtered ? (float)filtered : 1;
}

static void add_member(struct online *o, struct record_cluster *c,
		       const struct record_member *member)
{
	uint64_t filtered = member->filtered - o->filtered_before;

	if (!c->intervals) {
		c->first = o->intervals.count;
		c->slice = UINT64_MAX;
	}
	c->intervals++;
	c->filtered += filtered;
	if (c->filtered)
		c->distance += (member->distance - c->distance) * (double)filtered /
			       (double)c->filtered;
	if (member->distance > c->radius)
		c->radius = member->distance;
}

/* Makes the interval the slice of its cluster, if the cluster has none. */
static void keep_slice(struct online *o, const struct record_member *member, const float *shares)
{
	struct record_cluster *c = &o->clusters[member->cluster];

	if (c->slice != UINT64_MAX || o->warming) {
		o->dropped++;
		return;
	}
	c->slice = o->intervals.count;
	c->step = o->step;
	c->warmup = o->start - o->before;
	c->start = o->start;
	c->end = member->end;
	c->filtered_start = o->filtered_start;
	c->filtered_end = member->filtered;
	memcpy(o->slices[member->cluster], shares, sizeof(*o->slices));
	phase_prediction_found(o->prediction, member->cluster);
}

/* Ends the interval. Returns 0 or -1. */
static int end_interval(struct online *o, struct session *s, uint64_t executed)
{
	struct tf_interval interval = { .number = o->intervals.count };
	struct record_member member = { .end = executed };
	float sketch[VECTOR_SKETCH];
	uint32_t n = interval_clusters_n(o->groups);

	sum_up(o, s->vector_summary);
	if (o->counted != executed - o->before && !o->inexact)
		return session_fail(s, TF_E_DAMAGED,
				    "interval %zu has %llu instructions, and the exits of its "
				    "superblocks have %llu; please report this",
				    o->intervals.count, (unsigned long long)(executed - o->before),
				    (unsigned long long)o->counted);
	if (!RESERVE(o->intervals, o->intervals.count + 1))
		return session_fail(s, TF_E_MEMORY, "out of memory");
	vector_summary_end(s->vector_summary, &interval, sketch);
	member.filtered = interval.filtered;
	add_sketch(o, sketch);
	to_shares(sketch, interval.filtered - o->filtered_before);
	member.cluster = interval_clusters_assign(o->groups, sketch, &member.distance);
	add_member(o, &o->clusters[member.cluster], &member);
	phase_prediction_add(o->prediction, member.cluster, interval_clusters_n(o->groups) > n);
	if (o->recording)
		keep_slice(o, &member, sketch);
	o->intervals.at[o->intervals.count++] = member;
	o->before = executed;
	o->filtered_before = member.filtered;
	o->counted = 0;
	o->inexact = false;
	return 0;
}

/* ---- the next interval ------------------------------------------------------------------- */

static bool is_worth_recording(struct online *o)
{
	return o->dropped < (uint64_t)IN_VAIN * o->options->max_clusters &&
	       phase_prediction_wants(o->prediction);
}

/* Begins an interval, and the warm-up before its slice, which is a part of the interval. */
static void begin_interval(struct online *o, uint64_t executed, uint64_t recorded)
{
	o->recording = is_worth_recording(o);
	o->warming = o->recording && executed && o->options->warmup;
	o->step = recorded;
	o->start = executed;
	o->filtered_start = o->filtered_before;
	if (o->target < executed)
		o->target = executed;
	o->target += o->options->interval + (o->warming ? o->options->warmup : 0);
}

static void end_warmup(struct online *o, struct session *s, uint64_t executed, uint64_t recorded)
{
	sum_up(o, s->vector_summary);
	o->warming = false;
	o->step = recorded;
	o->start = executed;
	o->filtered_start = vector_summary_filtered(s->vector_summary);
}

int online_next(struct online *o, struct session *s, uint64_t executed, uint64_t recorded,
		uint64_t *budget)
{
	if (o->begun && o->warming)
		end_warmup(o, s, executed, recorded);
	else if (o->begun && end_interval(o, s, executed) < 0)
		return -1;
	else
		begin_interval(o, executed, recorded);
	o->begun = true;
	*budget = o->warming ? o->options->warmup : o->target - executed;
	return o->recording;
}

void online_lose(struct online *o)
{
	o->inexact = true;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* Adds the end of the program, which is no interval, to the last interval. */
static void add_rest(struct online *o, struct session *s, uint64_t executed)
{
	struct record_member *last = &o->intervals.at[o->intervals.count - 1];
	struct tf_interval rest = { .number = o->intervals.count };
	float sketch[VECTOR_SKETCH];

	sum_up(o, s->vector_summary);
	vector_summary_end(s->vector_summary, &rest, sketch);
	add_sketch(o, sketch);
	o->clusters[last->cluster].filtered += rest.filtered - last->filtered;
	last->end = executed;
	last->filtered = o->filtered_before = rest.filtered;
	o->dropped += o->recording;
}

int online_end(struct online *o, struct session *s, uint64_t executed)
{
	uint64_t left = executed - o->before;

	if (o->intervals.count && left < o->options->interval / 2)
		add_rest(o, s, executed);
	else if (left)
		return end_interval(o, s, executed);
	return 0;
}

/* Returns the distance of the program's sketch from the weighted sum of those of the slices. */
static double error_of(const struct online *o)
{
	float whole[VECTOR_SKETCH], sum[VECTOR_SKETCH] = { 0 };
	double covered = 0;

	for (uint32_t c = 0; c < interval_clusters_n(o->groups); c++) {
		double filtered = (double)o->clusters[c].filtered;

		if (o->clusters[c].slice == UINT64_MAX)
			continue;
		covered += filtered;
		for (unsigned i = 0; i < VECTOR_SKETCH; i++)
			sum[i] += (float)(filtered * (double)o->slices[c][i]);
	}
	if (!(covered > 0))
		return NAN;
	for (unsigned i = 0; i < VECTOR_SKETCH; i++) {
		sum[i] /= (float)covered;
		whole[i] = (float)(o->whole[i] / (double)o->filtered_before);
	}
	return interval_clusters_distance(whole, sum);
}

void online_take(struct online *o, struct record_clusters *clusters)
{
	*clusters = (struct record_clusters){
		.at = o->clusters,
		.n = interval_clusters_n(o->groups),
		.intervals = o->intervals.at,
		.n_intervals = o->intervals.count,
		.dropped = o->dropped,
		.error = error_of(o),
	};
	o->clusters = NULL;
	o->intervals.at = NULL;
}
