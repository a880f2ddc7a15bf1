/* SPDX-License-Identifier: MIT */
#include "recorder/core/points.h"

#include <stdlib.h>

#include "recorder/core/marked_insns.h"
#include "recorder/core/online.h"
#include "recorder/core/run_check.h"
#include "traceformat/common/array.h"

enum {
	/* instructions recorded before and after a slice: a part of the slice, within limits */
	SLACK_PART = 16,
	LEAST_SLACK = 1 << 14,
	MOST_SLACK = 1 << 21,
	EARLY = 2048, /* most instructions that a phase may end too early */
};

enum slice_state {
	SLICE_COMING,
	SLICE_OPEN, /* is being recorded, or its begin is */
	SLICE_DONE, /* has been recorded, or cannot be any more */
};

struct coming_slice {
	const struct record_slice *asked;
	struct record_slice_markers markers;
	enum slice_state state;
	uint64_t expected; /* instructions executed when a place of it was late; 0: none is */
};

/* A place with a marker. */
struct guide {
	const struct record_place *place;
	uint32_t number;
	const struct coming_slice *slice; /* whose place it is; NULL: of none */
};

struct points {
	struct online *online; /* chooses slices while the program runs; NULL: they are known */
	struct marked_insns *counts;
	struct run_check *check; /* NULL: nothing to compare with */
	bool exact;              /* this phase ends where an interval of the earlier run did */
	struct coming_slice *slices;
	size_t n_slices;
	ARRAY(struct guide) guides;
	uint64_t executed, recorded; /* instructions before this phase; the recorded ones of them */
	int64_t drift;    /* estimate of how many of them the earlier run had not executed here */
	uint64_t passed;  /* instructions of the earlier run before the last place passed */
	uint64_t look_at; /* look at the window once so many have been executed */
	ARRAY(struct record_window) windows;
	ARRAY(uint64_t) executions; /* of all markers where each window begins */
};

static int out_of_memory(struct session *s)
{
	return session_fail(s, TF_E_MEMORY, "out of memory");
}

/* Adds a place to the guides if it has a marker, whose number goes to *number. */
static int add_place(struct session *s, const struct record_place *place,
		     const struct coming_slice *slice, uint32_t *number)
{
	struct points *p = s->points;

	*number = TF_NONE;
	if (!place->marker.count)
		return 0;
	if (!marked_insns_add(p->counts, &place->marker, number) ||
	    !RESERVE(p->guides, p->guides.count + 1))
		return out_of_memory(s);
	p->guides.at[p->guides.count++] = (struct guide){ place, *number, slice };
	return 0;
}

int points_begin(struct session *s)
{
	const struct record_options *o = s->options;
	struct points *p;
	uint32_t number;

	if (!o->n_slices && !o->online.interval)
		return 0;
	p = s->points = calloc(1, sizeof(*p));
	if (!p)
		return out_of_memory(s);
	p->counts = marked_insns_new();
	p->slices = calloc(o->n_slices + 1, sizeof(*p->slices));
	p->look_at = UINT64_MAX;
	if (o->online.interval)
		p->online = online_new(&o->online);
	if (o->n_intervals)
		p->check = run_check_new(o);
	if (!p->counts || !p->slices || (o->n_intervals && !p->check) ||
	    (o->online.interval && !p->online))
		return out_of_memory(s);
	for (; p->n_slices < o->n_slices; p->n_slices++) {
		struct coming_slice *slice = &p->slices[p->n_slices];

		slice->asked = &o->slices[p->n_slices];
		if (add_place(s, &slice->asked->first, slice, &slice->markers.first) < 0 ||
		    add_place(s, &slice->asked->end, slice, &slice->markers.end) < 0)
			return -1;
	}
	for (size_t i = 0; i < o->n_guides; i++)
		if (add_place(s, &o->guides[i], NULL, &number) < 0)
			return -1;
	return 0;
}

void points_end(struct points *p)
{
	if (!p)
		return;
	online_free(p->online);
	marked_insns_free(p->counts);
	run_check_free(p->check);
	free(p->slices);
	free(p->guides.at);
	free(p->windows.at);
	free(p->executions.at);
	free(p);
}

/* ---- counting ---- */

static int good(struct session *s, bool done)
{
	return done ? 0 : out_of_memory(s);
}

int points_module(struct session *s, const struct tf_module *module, uint32_t index)
{
	return s->points ? good(s, marked_insns_module(s->points->counts, module, index)) : 0;
}

int points_block(struct session *s, const struct tf_block *block, uint32_t id)
{
	return s->points ? good(s, marked_insns_block(s->points->counts, block, id)) : 0;
}

int points_path(struct session *s, const struct tf_path *path, uint32_t first_exit)
{
	return s->points ? good(s, marked_insns_path(s->points->counts, path, first_exit)) : 0;
}

int points_execute(struct task *t, uint32_t exit, unsigned executed, int64_t times)
{
	struct points *p = t->session->points;

	if (p->online)
		return good(t->session, online_execute(p->online, exit, executed, times));
	marked_insns_execute(p->counts, exit, executed, times);
	return good(t->session,
		    !p->check || run_check_add(p->check, t->trace.thread, exit, executed, times));
}

/* ---- slices ---- */

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Returns how many instructions are expected before a place. Before a marker it is the filtered ones:
 * how often threads wait differs from run to run, so the other ones may not be executed.
 */
static uint64_t expected(const struct record_place *place)
{
	return place->marker.count ? place->filtered : place->instructions;
}

/* Returns how many instructions more than the slice may be recorded. */
static uint64_t slack(const struct record_slice *slice)
{
	uint64_t part = minus(expected(&slice->end), expected(&slice->first)) / SLACK_PART;

	return part < LEAST_SLACK ? LEAST_SLACK : part < MOST_SLACK ? part : MOST_SLACK;
}

/* Returns how often the instruction of a marker will be executed before the marker's place. */
static uint64_t executions_left(const struct points *p, const struct record_place *place,
				uint32_t number)
{
	return minus(place->marker.count - 1, marked_insns_get(p->counts, number));
}

/* Returns the estimated number of instructions that the earlier run had executed here. */
static uint64_t position(const struct points *p)
{
	return p->executed - (uint64_t)p->drift;
}

/* Returns true if the place is behind. */
static bool is_passed(const struct points *p, const struct record_place *place, uint32_t number)
{
	if (number == TF_NONE)
		return p->executed > place->instructions;
	return marked_insns_get(p->counts, number) >= place->marker.count;
}

static bool is_dropped(const struct guide *guide)
{
	return guide->slice && guide->slice->state == SLICE_DONE;
}

/* Corrects the estimated position by the places that are behind, and those that are not. */
static void find_position(struct points *p)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < p->guides.count; i++) {
		const struct guide *g = &p->guides.at[i];
		uint64_t at = expected(g->place);

		if (is_passed(p, g->place, g->number))
			last = at > last ? at : last;
		else if (!is_dropped(g))
			first = at < first ? at : first;
	}
	p->passed = last;
	if (position(p) < last)
		p->drift = (int64_t)(p->executed - last);
	else if (position(p) > first && first > last)
		p->drift = (int64_t)(p->executed - first);
}

/*
 * Returns the estimated number of instructions until the slice must be recorded. An execution of
 * the marker's instruction is at least one of them.
 */
static uint64_t distance(const struct points *p, const struct coming_slice *slice)
{
	const struct record_slice *asked = slice->asked;
	uint64_t begin = minus(expected(&asked->first), asked->warmup), far, least;

	if (slice->markers.first == TF_NONE)
		return minus(begin, p->executed);
	far = minus(begin, position(p));
	least = minus(executions_left(p, &asked->first, slice->markers.first), asked->warmup);
	return far > least ? far : least;
}

/* Returns true if there is a place between the program and the slice. */
static bool has_guide_before(const struct points *p, const struct coming_slice *slice)
{
	uint64_t begin = minus(expected(&slice->asked->first), slice->asked->warmup);

	for (size_t i = 0; i < p->guides.count; i++) {
		const struct guide *g = &p->guides.at[i];

		if (expected(g->place) > p->passed && expected(g->place) < begin && !is_dropped(g))
			return true;
	}
	return false;
}

/*
 * Returns how many instructions can be counted before the slice has to be looked at again: a quarter
 * of those up to the slice. So the slice is not missed if the next place comes earlier than expected
 * by less than three times the distance from that place to the slice.
 */
static uint64_t step_to(const struct points *p, const struct coming_slice *slice)
{
	uint64_t far = distance(p, slice);

	return slice->markers.first == TF_NONE ? minus(far, EARLY) : far / 4;
}

/* Returns true if recording must begin for the slice. */
static bool is_near(const struct session *s, const struct coming_slice *slice)
{
	const struct points *p = s->points;
	uint64_t far = distance(p, slice);

	if (slice->markers.first == TF_NONE)
		return far <= 2 * EARLY;
	return far <= slack(slice->asked) ||
	       (far <= s->options->give_up && !has_guide_before(p, slice));
}

/* Returns true if the place should be behind by now, and is not. */
static bool is_late(const struct points *p, const struct record_place *place, uint32_t number)
{
	return number != TF_NONE && position(p) >= expected(place) && !is_passed(p, place, number);
}

/* Returns true if a place of the slice that should have come has not come for long. */
static bool is_given_up(const struct session *s, struct coming_slice *slice)
{
	const struct points *p = s->points;

	if (!is_late(p, &slice->asked->first, slice->markers.first) &&
	    !is_late(p, &slice->asked->end, slice->markers.end)) {
		slice->expected = 0;
		return false;
	}
	if (!slice->expected)
		slice->expected = p->executed;
	return p->executed - slice->expected > s->options->give_up;
}

/* Opens a slice that is near, and ends one whose end is behind or does not come. */
static void look(const struct session *s, struct coming_slice *slice)
{
	const struct record_slice *asked = slice->asked;
	const struct points *p = s->points;
	bool recording = s->region.phase == PHASE_RECORD;

	if (slice->state == SLICE_COMING && !recording &&
	    is_passed(p, &asked->first, slice->markers.first))
		slice->state = SLICE_DONE;
	if (slice->state == SLICE_COMING && is_near(s, slice))
		slice->state = SLICE_OPEN;
	if (is_given_up(s, slice) ||
	    (slice->state == SLICE_OPEN && is_passed(p, &asked->end, slice->markers.end)))
		slice->state = SLICE_DONE;
}

/* Returns after how many instructions the slice has to be looked at again while recording. */
static uint64_t next_look(const struct points *p, const struct coming_slice *slice)
{
	const struct record_slice *asked = slice->asked;
	uint64_t far;

	if (slice->state == SLICE_DONE)
		return UINT64_MAX;
	if (slice->state == SLICE_COMING)
		far = step_to(p, slice);
	else if (slice->markers.end == TF_NONE)
		far = minus(expected(&asked->end), p->executed);
	else
		far = minus(expected(&asked->end), position(p));
	if (far < slack(asked) / 4)
		far = slack(asked) / 4;
	return far < UINT64_MAX - p->executed ? p->executed + far : UINT64_MAX;
}

static void advance(struct session *s)
{
	uint64_t n = s->region.whole_budget - s->region.budget;

	s->points->executed += n;
	if (s->region.phase == PHASE_RECORD)
		s->points->recorded += n;
	s->region.whole_budget = s->region.budget;
}

/* Compares the run with the earlier one. Returns false to end the recording. */
static bool check(struct session *s)
{
	struct points *p = s->points;

	if (!p->check)
		return true;
	if (!run_check_look(p->check, s->vector_summary, p->executed)) {
		out_of_memory(s);
		return false;
	}
	return !s->options->strict || !run_check_differs(p->check);
}

/* Shortens the phase if an interval of the earlier run ends in it. */
static void stop_at_interval(struct points *p, uint64_t *budget)
{
	uint64_t next = p->check ? run_check_next(p->check) : UINT64_MAX;

	p->exact = next != UINT64_MAX && next - p->executed <= *budget;
	if (p->exact)
		*budget = next - p->executed;
}

/* Chooses the next phase of options->online. */
static enum points_step next_online(struct session *s, uint64_t *budget)
{
	struct points *p = s->points;
	int record = online_next(p->online, s, p->executed, p->recorded, budget);

	return record < 0 ? POINTS_OVER : record ? POINTS_RECORD : POINTS_COUNT;
}

enum points_step points_next(struct session *s, uint64_t *budget)
{
	struct points *p = s->points;
	bool coming = false, open = false;

	advance(s);
	if (p->online)
		return next_online(s, budget);
	find_position(p);
	*budget = p->look_at = UINT64_MAX;
	if (!check(s))
		return POINTS_OVER;
	for (size_t i = 0; i < p->n_slices; i++) {
		struct coming_slice *slice = &p->slices[i];
		uint64_t step, at;

		look(s, slice);
		open |= slice->state == SLICE_OPEN;
		at = next_look(p, slice);
		if (at < p->look_at)
			p->look_at = at;
		if (slice->state != SLICE_COMING)
			continue;
		coming = true;
		step = step_to(p, slice);
		if (step < *budget)
			*budget = step;
	}
	stop_at_interval(p, budget);
	return open ? POINTS_RECORD : coming ? POINTS_COUNT : POINTS_OVER;
}

bool points_are_exact(const struct session *s)
{
	return s->points->exact;
}

bool points_end_windows(const struct session *s)
{
	return s->points && s->points->online;
}

bool points_look(const struct session *s)
{
	const struct points *p = s->points;
	uint64_t budget = __atomic_load_n(&s->region.budget, __ATOMIC_RELAXED);

	return p && s->region.phase == PHASE_RECORD &&
	       p->executed + (s->region.whole_budget - budget) >= p->look_at;
}

/* ---- windows ---- */

/* Adds how often each marked instruction has been executed. There must be room. */
static void add_executions(struct points *p)
{
	for (uint32_t i = 0; i < marked_insns_n(p->counts); i++)
		p->executions.at[p->executions.count++] = marked_insns_get(p->counts, i);
}

int points_open_window(struct session *s)
{
	struct points *p = s->points;
	uint32_t n = marked_insns_n(p->counts);

	if (!RESERVE(p->windows, p->windows.count + 1) ||
	    !RESERVE(p->executions, p->executions.count + n))
		return out_of_memory(s);
	p->windows.at[p->windows.count++] = (struct record_window){ .executed = p->executed,
								    .recorded = p->recorded };
	add_executions(p);
	return 0;
}

void points_take_windows(struct session *s, struct record_windows *w)
{
	struct points *p = s->points;
	struct record_slice_markers *markers = p ? calloc(p->n_slices, sizeof(*markers)) : NULL;

	if (!markers || !RESERVE(p->executions, p->executions.count + marked_insns_n(p->counts)))
		return;
	add_executions(p);
	advance(s);
	for (size_t i = 0; i < p->n_slices; i++)
		markers[i] = p->slices[i].markers;
	*w = (struct record_windows){
		.at = p->windows.at,
		.n = p->windows.count,
		.executions = p->executions.at,
		.n_markers = marked_insns_n(p->counts),
		.slices = markers,
		.executed = p->executed,
	};
	if (p->check)
		run_check_take(p->check, &w->check);
	p->windows.at = NULL;
	p->executions.at = NULL;
}

/* ---- slices that are chosen while the program runs ---- */

void points_lose(struct session *s)
{
	if (points_end_windows(s))
		online_lose(s->points->online);
}

int points_finish(struct session *s)
{
	struct points *p = s->points;

	if (!p->online)
		return 0;
	advance(s);
	return online_end(p->online, s, p->executed);
}

void points_take_clusters(struct session *s, struct record_clusters *clusters)
{
	if (points_end_windows(s))
		online_take(s->points->online, clusters);
}
