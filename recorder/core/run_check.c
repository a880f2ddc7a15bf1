/* SPDX-License-Identifier: MIT */
#include "recorder/core/run_check.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/core/vector_summary.h"
#include "traceformat/common/hash_table.h"
#include "traceformat/tracesamples.h"

struct exit_executions {
	struct exit_of {
		uint32_t exit, executed;
	} key;
	int64_t times;
};

/* The executions of a thread in the present interval. */
struct thread_executions {
	HASH_TABLE(struct exit_executions) exits;
};

struct run_check {
	const struct record_interval *intervals;
	size_t n_intervals;
	size_t next;   /* the interval that ends next */
	bool complete; /* all that it has executed is in `threads` */
	bool differs;
	uint64_t compared; /* equal intervals */
	ARRAY(struct thread_executions) threads;
	ARRAY(struct tf_vector_count) vector; /* of the interval that differs, of all threads */
};

struct run_check *run_check_new(const struct record_options *o)
{
	struct run_check *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->intervals = o->intervals;
	c->n_intervals = o->n_intervals;
	c->complete = true;
	return c;
}

void run_check_free(struct run_check *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->threads.count; i++)
		TABLE_FREE(c->threads.at[i].exits);
	free(c->threads.at);
	free(c->vector.at);
	free(c);
}

static bool is_over(const struct run_check *c)
{
	return c->differs || c->next >= c->n_intervals;
}

bool run_check_add(struct run_check *c, uint32_t thread, uint32_t exit, unsigned executed,
		   int64_t times)
{
	struct exit_executions *e;

	if (is_over(c) || !c->complete)
		return true;
	if (!RESERVE(c->threads, thread + 1u))
		return false;
	if (c->threads.count <= thread)
		c->threads.count = thread + 1u;
	e = TABLE_PUT(c->threads.at[thread].exits, ((struct exit_of){ exit, executed }));
	if (e)
		e->times += times;
	return e;
}

uint64_t run_check_next(const struct run_check *c)
{
	return is_over(c) ? UINT64_MAX : c->intervals[c->next].instructions;
}

bool run_check_differs(const struct run_check *c)
{
	return c->differs;
}

/* ---- the end of an interval ---- */

static int compare(const void *a, const void *b)
{
	const struct exit_executions *x = a, *y = b;

	if (x->key.exit != y->key.exit)
		return x->key.exit < y->key.exit ? -1 : 1;
	return x->key.executed < y->key.executed ? -1 : x->key.executed > y->key.executed;
}

/* Adds the executions of all threads to the summary, and to the vector. */
static bool sum_up(struct run_check *c, struct vector_summary *summary)
{
	c->vector.count = 0;
	for (uint32_t t = 0; t < c->threads.count; t++) {
		struct thread_executions *executions = &c->threads.at[t];
		size_t n = executions->exits.count;

		if (!RESERVE(c->vector, c->vector.count + n))
			return false;
		if (n)
			qsort(executions->exits.at, n, sizeof(*executions->exits.at), compare);
		for (size_t i = 0; i < n; i++) {
			const struct exit_executions *e = &executions->exits.at[i];
			struct tf_vector_count count = { e->key.exit, e->key.executed,
							 (uint64_t)e->times };

			if (!e->times)
				continue;
			vector_summary_add(summary, t, &count);
			c->vector.at[c->vector.count++] = count;
		}
		TABLE_CLEAR(executions->exits);
	}
	return true;
}

static void forget(struct run_check *c)
{
	for (size_t i = 0; i < c->threads.count; i++)
		TABLE_CLEAR(c->threads.at[i].exits);
}

/* Ends the comparison up to the next end of an interval: this one was not reached exactly. */
static void interrupt(struct run_check *c, uint64_t executed)
{
	while (c->next < c->n_intervals && c->intervals[c->next].instructions < executed)
		c->next++;
	c->complete = false;
	forget(c);
}

bool run_check_look(struct run_check *c, struct vector_summary *summary, uint64_t executed)
{
	const struct record_interval *expected = &c->intervals[c->next];
	struct tf_interval interval;

	if (!is_over(c) && expected->instructions < executed)
		interrupt(c, executed);
	expected = &c->intervals[c->next];
	if (is_over(c) || expected->instructions != executed)
		return true;
	if (c->complete) {
		if (!sum_up(c, summary))
			return false;
		interval = (struct tf_interval){ .number = expected->number };
		vector_summary_end(summary, &interval, NULL);
		c->differs = memcmp(interval.hash, expected->hash, sizeof(interval.hash)) != 0;
		c->compared += !c->differs;
	}
	if (c->differs)
		return true;
	vector_summary_begin(summary, expected->hash);
	c->complete = true;
	c->next++;
	return true;
}

void run_check_take(struct run_check *c, struct record_check *result)
{
	*result = (struct record_check){ .compared = c->compared, .differs = c->differs };
	if (!c->differs)
		return;
	result->interval = c->next;
	result->counts = c->vector.at;
	result->n_counts = c->vector.count;
	c->vector.at = NULL;
}
