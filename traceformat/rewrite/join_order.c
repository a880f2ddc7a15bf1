/* SPDX-License-Identifier: MIT */
/*
 * The order of threads of a joined trace. Each group of parts has an order of its own, which stays.
 * If all groups have times of one clock, the orders are merged by time: the order of a group is
 * divided where its threads' events have times, and each piece has the time at which it had been
 * executed. Otherwise the groups follow each other.
 */
#include <stdlib.h>
#include <string.h>

#include "traceformat/common/error.h"
#include "traceformat/rewrite/join.h"

/* Times of creation and of events tell when the machine was started, which must be the same. */
#define CLOCK_TOLERANCE_NS UINT64_C(60000000000)

/* A piece of a group's order. */
struct piece {
	uint32_t thread;
	uint64_t instructions, time_ns; /* time_ns: at its end; 0: not known */
};

/* The pieces of one group, in order. */
struct pieces {
	ARRAY(struct piece) all;
	size_t next;
};

struct order {
	struct join *j;
	struct pieces *groups; /* by group; those of other parts are empty */
	uint64_t *position;    /* by thread: instructions in pieces so far */
	size_t *stamp;         /* by thread: the next one */
};

/* ---- times ------------------------------------------------------------------------------- */

static uint64_t earliest(const struct join *j, size_t group)
{
	uint64_t time = UINT64_MAX;

	for (size_t t = 0; t < j->threads.count; t++) {
		const struct join_thread *thread = &j->threads.at[t];

		if (thread->group == group && thread->stamps.count &&
		    thread->stamps.at[0].time_ns < time)
			time = thread->stamps.at[0].time_ns;
	}
	return time;
}

static bool is_group(const struct join *j, size_t i)
{
	return j->parts[i].group == i;
}

/* Returns true if the times of a trace begin at 0: those of an anonymized trace. */
static bool has_relative_times(struct tf_reader *r)
{
	const char *level = tf_meta(r, "anonymised.times");

	return level && !strcmp(level, "relative");
}

/* Returns true if there are several groups, and times of all groups can be compared. */
static bool have_common_clock(const struct join *j)
{
	size_t n_groups = 0;
	uint64_t first = earliest(j, 0), boot = j->parts[0].r->created_ns - first;
	bool known = j->parts[0].r->created_ns && !tf_meta(j->parts[0].r, "slice.parent");

	for (size_t i = 0; i < j->n; i++) {
		uint64_t created = j->parts[i].r->created_ns, time = earliest(j, i), mine;

		if (!is_group(j, i))
			continue;
		n_groups++;
		if (time == UINT64_MAX || has_relative_times(j->parts[i].r))
			return false;
		mine = created - time;
		if (known && created && !tf_meta(j->parts[i].r, "slice.parent") &&
		    (mine > boot ? mine - boot : boot - mine) > CLOCK_TOLERANCE_NS)
			return false;
	}
	return n_groups > 1;
}

/* ---- the order of a group ---------------------------------------------------------------- */

static int add_piece(struct order *o, size_t group, struct piece piece, struct tf_error *error)
{
	struct pieces *g = &o->groups[group];

	if (!piece.instructions)
		return 0;
	if (!RESERVE(g->all, g->all.count + 1))
		return fail_memory(error);
	g->all.at[g->all.count++] = piece;
	return 0;
}

/* Adds so many instructions of a thread, divided where the thread has times. */
static int add_run(struct order *o, size_t group, uint32_t thread, uint64_t instructions,
		   struct tf_error *error)
{
	const struct join_thread *t = &o->j->threads.at[thread];
	uint64_t end = o->position[thread] + instructions;
	int status = 0;

	while (status == 0 && o->position[thread] < end) {
		struct piece piece = { .thread = thread };
		uint64_t to = end;

		while (o->stamp[thread] < t->stamps.count &&
		       t->stamps.at[o->stamp[thread]].ordinal <= o->position[thread])
			o->stamp[thread]++;
		if (o->stamp[thread] < t->stamps.count &&
		    t->stamps.at[o->stamp[thread]].ordinal <= end) {
			to = t->stamps.at[o->stamp[thread]].ordinal;
			piece.time_ns = t->stamps.at[o->stamp[thread]].time_ns;
		}
		piece.instructions = to - o->position[thread];
		o->position[thread] = to;
		status = add_piece(o, group, piece, error);
	}
	return status;
}

static int add_part(struct order *o, const struct join_part *p, struct tf_error *error)
{
	const struct tf_reader *r = p->r;
	int status = 0;

	for (size_t i = 0; i < r->schedule.count && status == 0; i++)
		if (p->runs.at[i])
			status = add_run(o, p->group, p->threads[r->schedule.at[i].thread],
					 p->runs.at[i], error);
	for (size_t t = 0; t < r->threads.count && status == 0; t++)
		status = add_run(o, p->group, p->threads[t], p->runs.behind[t], error);
	return status;
}

/*
 * Gives each piece a time: that of the next piece with one, or of the last one before. Times never
 * descend, as the order of a group is kept.
 */
static void fill_times(struct pieces *g)
{
	uint64_t last = 0;

	for (size_t i = 0; i < g->all.count; i++)
		last = g->all.at[i].time_ns > last ? g->all.at[i].time_ns : last;
	for (size_t i = g->all.count; i--;) {
		struct piece *piece = &g->all.at[i];

		if (piece->time_ns)
			last = piece->time_ns;
		else
			piece->time_ns = last;
	}
	last = 0;
	for (size_t i = 0; i < g->all.count; i++) {
		struct piece *piece = &g->all.at[i];

		last = piece->time_ns > last ? piece->time_ns : last;
		piece->time_ns = last;
	}
}

/* ---- the whole --------------------------------------------------------------------------- */

/* Returns the group whose next piece comes first; of equal times, the first group. */
static size_t choose(const struct order *o)
{
	size_t best = o->j->n;
	uint64_t time = 0;

	for (size_t i = 0; i < o->j->n; i++) {
		const struct pieces *g = &o->groups[i];

		if (g->next < g->all.count &&
		    (best == o->j->n || g->all.at[g->next].time_ns < time)) {
			best = i;
			time = g->all.at[g->next].time_ns;
			if (!o->j->options->by_times)
				break;
		}
	}
	return best;
}

static int write_order(struct order *o, struct tf_error *error)
{
	int status = 0;
	size_t group;

	while (status == 0 && (group = choose(o)) < o->j->n) {
		struct pieces *g = &o->groups[group];
		const struct piece *piece = &g->all.at[g->next++];

		status = tf_writer_schedule(o->j->w, piece->thread, piece->instructions, error);
	}
	return status;
}

int join_order(struct join *j, struct tf_error *error)
{
	struct order o = {
		.j = j,
		.groups = calloc(j->n, sizeof(*o.groups)),
		.position = calloc(j->threads.count + 1, sizeof(*o.position)),
		.stamp = calloc(j->threads.count + 1, sizeof(*o.stamp)),
	};
	int status = o.groups && o.position && o.stamp ? 0 : fail_memory(error);

	j->options->by_times = have_common_clock(j);
	for (size_t i = 0; i < j->n && status == 0; i++)
		status = add_part(&o, &j->parts[i], error);
	for (size_t i = 0; i < j->n && status == 0; i++)
		fill_times(&o.groups[i]);
	if (status == 0 && j->threads.count > 1)
		status = write_order(&o, error);
	if (status == 0)
		status = tf_writer_meta(j->w, "join.order",
					j->options->by_times ? "times" : "parts", error);
	for (size_t i = 0; o.groups && i < j->n; i++)
		free(o.groups[i].all.at);
	free(o.groups);
	free(o.position);
	free(o.stamp);
	return status;
}
