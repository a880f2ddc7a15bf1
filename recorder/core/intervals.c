/* SPDX-License-Identifier: MIT */
#include "recorder/core/intervals.h"

#include <stdio.h>
#include <stdlib.h>

#include "recorder/core/loop_heads.h"
#include "recorder/core/output.h"
#include "recorder/core/points.h"
#include "recorder/core/vector_summary.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/tracesamples.h"

struct exit_count {
	struct exit_key {
		uint32_t exit, executed;
	} key;
	int64_t times;
};

/* A file that is not finished can be read up to the last multiple of so many intervals. */
enum { FLUSHED = 64 };

/* The counts of a thread in the present interval. */
struct thread_counts {
	HASH_TABLE(struct exit_count) exits;
};

struct intervals {
	uint64_t number;       /* of the present interval */
	bool inexact;          /* the session's count of its instructions is not exact */
	uint64_t instructions; /* of the intervals before */
	uint64_t filtered;     /* of these instructions */
	uint64_t at_no_loop;   /* intervals that ended at no loop, though they should */
	unsigned tier;         /* of the heads that are armed; 0: none */
	uint64_t extra;        /* budget of this interval beyond its instructions */
	ARRAY(struct thread_counts) threads; /* by index */
	ARRAY(struct tf_vector_count) vector;
};

int intervals_begin(struct session *s)
{
	if (!s->options->interval && !s->points)
		return 0;
	s->intervals = calloc(1, sizeof(*s->intervals));
	if (s->options->interval || s->options->n_intervals || s->options->online.interval)
		s->vector_summary = vector_summary_new();
	return s->intervals && (s->vector_summary || s->points) ? 0 : output_memory(s->output);
}

void intervals_free(struct intervals *intervals)
{
	if (!intervals)
		return;
	for (size_t i = 0; i < intervals->threads.count; i++)
		TABLE_FREE(intervals->threads.at[i].exits);
	free(intervals->threads.at);
	free(intervals->vector.at);
	free(intervals);
}

uint64_t intervals_early(const struct session *s)
{
	if (s->points)
		return points_are_exact(s) ? 0 : INTERVALS_EARLY;
	/* the instruction at which further heads are armed should not depend on chance */
	return s->options->boundary == BOUNDARY_EXACT || s->intervals->tier ? 0 : INTERVALS_EARLY;
}

bool intervals_are_filtered(const struct session *s)
{
	return s->intervals && (s->options->boundary == BOUNDARY_LOOP || s->options->filtered);
}

uint64_t intervals_instructions(const struct session *s)
{
	return s->intervals ? s->intervals->instructions : 0;
}

void intervals_lose(struct session *s)
{
	if (s->intervals)
		s->intervals->inexact = true;
	points_lose(s);
}

int intervals_add(struct task *t, uint32_t exit, unsigned executed, int64_t times)
{
	struct intervals *v = t->session->intervals;
	struct exit_count *count;

	if (!executed)
		return 0;
	if (t->session->points)
		return points_execute(t, exit, executed, times);
	if (!RESERVE(v->threads, t->trace.thread + 1u))
		return output_memory(t->session->output);
	if (v->threads.count <= t->trace.thread)
		v->threads.count = t->trace.thread + 1u;
	count = TABLE_PUT(v->threads.at[t->trace.thread].exits,
			  ((struct exit_key){ exit, executed }));
	if (!count)
		return output_memory(t->session->output);
	count->times += times;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct tf_vector_count *x = a, *y = b;

	if (x->exit != y->exit)
		return x->exit < y->exit ? -1 : 1;
	return x->executed < y->executed ? -1 : x->executed > y->executed;
}

/* Writes the counts of a thread, and sets them to 0. Adds its instructions to *sum. */
static int write_thread(struct session *s, uint32_t thread, uint64_t *sum)
{
	struct intervals *v = s->intervals;
	struct thread_counts *counts = &v->threads.at[thread];
	struct tf_vector vector = { .interval = v->number, .thread = thread };

	if (!RESERVE(v->vector, counts->exits.count))
		return output_memory(s->output);
	v->vector.count = 0;
	for (size_t i = 0; i < counts->exits.count; i++) {
		const struct exit_count *c = &counts->exits.at[i];

		if (!c->times)
			continue;
		v->vector.at[v->vector.count++] = (struct tf_vector_count){
			.exit = c->key.exit,
			.executed = c->key.executed,
			.times = (uint64_t)c->times,
		};
		vector.instructions += (uint64_t)c->times * c->key.executed;
	}
	TABLE_CLEAR(counts->exits);
	*sum += vector.instructions;
	if (!v->vector.count)
		return 0;
	qsort(v->vector.at, v->vector.count, sizeof(*v->vector.at), compare);
	vector.counts = v->vector.at;
	vector.n_counts = v->vector.count;
	for (size_t i = 0; i < vector.n_counts; i++)
		vector_summary_add(s->vector_summary, thread, &vector.counts[i]);
	return output_add_vector(s->output, &vector);
}

static int write_end(struct session *s, const struct tf_marker *marker)
{
	struct intervals *v = s->intervals;
	struct tf_interval interval = {
		.number = v->number,
		.instructions = v->instructions,
		.marker = *marker,
	};

	vector_summary_end(s->vector_summary, &interval, NULL);
	v->filtered = interval.filtered;
	return output_add_interval(s->output, &interval);
}

static int disagree(struct session *s, const char *what, uint64_t counted, uint64_t sum)
{
	return session_fail(s, TF_E_DAMAGED,
			    "interval %llu has %llu %s, and the exits of its superblocks have "
			    "%llu; please report this",
			    (unsigned long long)s->intervals->number, (unsigned long long)counted,
			    what, (unsigned long long)sum);
}

int intervals_next(struct session *s, const struct tf_marker *marker)
{
	struct intervals *v = s->intervals;
	uint64_t filtered = s->region.whole_budget - s->region.budget, sum = 0;
	uint64_t instructions = filtered + s->region.excluded, before = v->filtered;

	for (size_t i = 0; i < v->threads.count; i++)
		if (write_thread(s, (uint32_t)i, &sum) < 0)
			return -1;
	if (sum != instructions && !v->inexact)
		return disagree(s, "instructions", instructions, sum);
	v->instructions += sum;
	if (write_end(s, marker) < 0)
		return -1;
	if (intervals_are_filtered(s) && v->filtered - before != filtered && !v->inexact)
		return disagree(s, "filtered instructions", filtered, v->filtered - before);
	v->inexact = false;
	v->number++;
	v->at_no_loop += s->loop_heads && marker->block != TF_NONE && !marker->tier;
	s->region.excluded = 0;
	s->region.budget += s->options->interval - v->extra;
	s->region.whole_budget = s->region.budget;
	v->extra = v->tier = 0;
	s->region.in_turns = false;
	return v->number % FLUSHED ? 0 : output_flush(s);
}

/* Adds what has executed in this interval to the executions of blocks. */
static void preview(struct session *s)
{
	const struct intervals *v = s->intervals;

	vector_summary_forget(s->vector_summary);
	for (size_t i = 0; i < v->threads.count; i++)
		for (size_t k = 0; k < v->threads.at[i].exits.count; k++) {
			const struct exit_count *c = &v->threads.at[i].exits.at[k];

			vector_summary_preview(s->vector_summary,
					       &(struct tf_vector_count){
						       .exit = c->key.exit,
						       .executed = c->key.executed,
						       .times = (uint64_t)c->times });
		}
}

unsigned intervals_seek(struct session *s, bool *fresh)
{
	enum { PART = 20 }; /* of an interval in which a head of a tier has to come */
	struct intervals *v = s->intervals;
	struct loop_heads_armed armed = { 0 };
	uint64_t more = s->options->interval / PART, used;

	preview(s);
	*fresh = false;
	used = v->filtered + s->region.whole_budget - s->region.budget;
	while (!armed.met && v->tier < LOOP_TIERS) {
		armed = loop_heads_arm(s, ++v->tier, used);
		*fresh |= armed.fresh;
	}
	vector_summary_forget(s->vector_summary);
	if (!armed.heads)
		return 0;
	v->extra += more;
	s->region.budget += more;
	s->region.whole_budget += more;
	return armed.heads;
}

bool intervals_may_end(const struct session *s)
{
	return (int64_t)(s->region.budget - s->intervals->extra) <= 0;
}

static int write_total(struct session *s, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return output_meta(s->output, key, text);
}

int intervals_end(struct session *s)
{
	static const struct tf_marker none = { .block = TF_NONE };
	struct intervals *v = s->intervals;

	if (!v)
		return 0;
	if (s->points)
		return points_finish(s);
	if (s->region.whole_budget != s->region.budget && intervals_next(s, &none) < 0)
		return -1;
	if (2 * v->at_no_loop > v->number)
		session_warn(s,
			     "%llu of %llu intervals end at no loop, because the modules of "
			     "--marker-images begin no iteration of a loop there; "
			     "--marker-images=all also uses the loops of other modules",
			     (unsigned long long)v->at_no_loop, (unsigned long long)v->number);
	if (write_total(s, "vectors.intervals", v->number) < 0 ||
	    write_total(s, "vectors.filtered", v->filtered) < 0)
		return -1;
	return write_total(s, "vectors.instructions", v->instructions);
}
