/* SPDX-License-Identifier: MIT */
#include "recorder/core/points.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "recorder/core/marked_insns.h"
#include "recorder/core/marker_budgets.h"
#include "recorder/core/online.h"
#include "recorder/core/run_check.h"
#include "traceformat/common/array.h"

enum {
	/* instructions recorded before and after a slice: a part of the slice, within limits */
	SLACK_PART = 16,
	LEAST_SLACK = 1 << 14,
	MOST_SLACK = 1 << 21,
	EARLY = 2048, /* most instructions that a phase may end too early */
	/* tasks run at the same time as long as so many instructions, and so many executions of the
	 * next marker for each task, are left */
	MANY = 1 << 18,
	MANY_EXECUTIONS = 256,
	MOST = 1 << 30, /* instructions of a phase that only markers end */
	FREQUENT = 64,  /* a marker's instruction is executed at least once in so many */
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
	bool waits;        /* for its marker, as that did not come where it was expected */
	uint64_t expected; /* how far the run was when a place of it was late; 0: none is */
	bool begun;        /* its begin is behind, */
	bool by_length;    /* and its end had come, or came much too early; */
	uint64_t since;    /* how far the run was then */
	uint64_t missed;   /* executions by which its begin was passed while it was not recorded */
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
	struct marker_budgets *budgets; /* of the begins of slices */
	struct run_check *check;        /* NULL: nothing to compare with */
	bool exact;    /* this phase ends where an interval of the earlier run did, or is brief */
	bool brief;    /* at most EARLY executions of a marker that is not watched are left */
	bool parallel; /* tasks may run at the same time in it */
	uint64_t room; /* executions of the next marker that are left, at least; or more */
	bool rare;     /* none of the next markers comes close to using up its budget in a burst */
	struct coming_slice *slices;
	size_t n_slices;
	ARRAY(struct guide) guides;
	uint64_t executed, recorded; /* instructions before this phase; the recorded ones of them */
	uint64_t filtered;           /* the filtered ones */
	int64_t drift;    /* estimate of how many of them the earlier run had not executed here */
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

/*
 * Returns true if the begin of a slice is not watched: superblocks do not continue beyond a watched
 * instruction, which costs much if it is executed often. Phases then have no more instructions
 * than executions are left (limit_to()), and there are not many of these phases. The executions
 * must take from the instructions of a phase, as excluded code does not.
 */
static bool is_frequent(const struct record_place *first)
{
	return first->marker.is_head && first->marker.count > first->instructions / FREQUENT;
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
	p->budgets = p->counts ? marker_budgets_new(p->counts) : NULL;
	if (o->n_slices)
		s->marker_budgets = p->budgets;
	if (o->online.interval)
		p->online = online_new(&o->online);
	if (o->n_intervals)
		p->check = run_check_new(o);
	if (!p->budgets || !p->slices || (o->n_intervals && !p->check) ||
	    (o->online.interval && !p->online))
		return out_of_memory(s);
	for (; p->n_slices < o->n_slices; p->n_slices++) {
		struct coming_slice *slice = &p->slices[p->n_slices];

		slice->asked = &o->slices[p->n_slices];
		if (add_place(s, &slice->asked->first, slice, &slice->markers.first) < 0 ||
		    add_place(s, &slice->asked->end, slice, &slice->markers.end) < 0)
			return -1;
		if (slice->markers.first != TF_NONE && !is_frequent(&slice->asked->first) &&
		    !marker_budgets_watch(p->budgets, slice->markers.first))
			return out_of_memory(s);
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
	marker_budgets_free(p->budgets);
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

void points_exclude(struct session *s, uint32_t block)
{
	if (s->points)
		marked_insns_exclude(s->points->counts, block);
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
 * Returns how many instructions are expected before a place. If places have markers it is the
 * filtered ones: how often threads wait differs from run to run, so the other ones may not be
 * executed.
 */
static uint64_t expected(const struct record_place *place)
{
	return place->marker.count ? place->filtered : place->instructions;
}

/* Returns how many instructions have been executed, of those that expected() counts. */
static uint64_t progress(const struct session *s)
{
	return s->options->filtered ? s->points->filtered : s->points->executed;
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
static uint64_t position(const struct session *s)
{
	return progress(s) - (uint64_t)s->points->drift;
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
static void find_position(const struct session *s)
{
	struct points *p = s->points;
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < p->guides.count; i++) {
		const struct guide *g = &p->guides.at[i];
		uint64_t at = expected(g->place);

		if (is_passed(p, g->place, g->number))
			last = at > last ? at : last;
		else if (!is_dropped(g))
			first = at < first ? at : first;
	}
	if (position(s) < last)
		p->drift = (int64_t)(progress(s) - last);
	else if (position(s) > first && first > last)
		p->drift = (int64_t)(progress(s) - first);
}

/*
 * Returns the estimated number of instructions until the slice must be recorded. An execution of
 * the marker's instruction is at least one of them.
 */
static uint64_t distance(const struct session *s, const struct coming_slice *slice)
{
	const struct record_slice *asked = slice->asked;
	const struct points *p = s->points;
	uint64_t begin = minus(expected(&asked->first), asked->warmup), far, least;

	if (slice->markers.first == TF_NONE)
		return minus(begin, progress(s));
	far = minus(begin, position(s));
	least = minus(executions_left(p, &asked->first, slice->markers.first), asked->warmup);
	return far > least ? far : least;
}

/*
 * Returns true if recording begins where the begin is expected. Otherwise the next execution of the
 * marker's instruction is the one that is meant.
 */
static bool is_estimated(const struct session *s, const struct coming_slice *slice)
{
	return slice->markers.first == TF_NONE ||
	       ((slice->asked->warmup || s->options->ordinal_on_miss) && !slice->waits);
}

/*
 * Returns how many instructions can be counted before the slice has to be looked at again: a
 * quarter of those up to the slice, so that the estimate can be corrected on the way.
 */
static uint64_t step_to(const struct session *s, const struct coming_slice *slice)
{
	uint64_t far = distance(s, slice), least = slack(slice->asked) / 4;

	if (!is_estimated(s, slice))
		return MOST;
	if (slice->markers.first == TF_NONE)
		return minus(far, EARLY);
	return far / 4 > least ? far / 4 : least;
}

/* Returns true if recording must begin for the slice. */
static bool is_near(const struct session *s, const struct coming_slice *slice)
{
	uint64_t far = distance(s, slice);

	if (slice->markers.first == TF_NONE)
		return far <= 2 * EARLY;
	return !executions_left(s->points, &slice->asked->first, slice->markers.first) ||
	       (is_estimated(s, slice) && far <= slack(slice->asked));
}

/* Returns true if the place should be behind by now, and is not. */
static bool is_late(const struct session *s, const struct record_place *place, uint32_t number)
{
	return number != TF_NONE && position(s) >= expected(place) &&
	       !is_passed(s->points, place, number);
}

/* Returns true if a place of the slice that should have come has not come for long. */
static bool is_given_up(const struct session *s, struct coming_slice *slice)
{
	if (!is_late(s, &slice->asked->first, slice->markers.first) &&
	    !is_late(s, &slice->asked->end, slice->markers.end)) {
		slice->expected = 0;
		return false;
	}
	if (!slice->expected)
		slice->expected = progress(s);
	return progress(s) - slice->expected > s->options->give_up;
}

/* Takes note once the begin of a slice is behind. */
static void look_at_begin(const struct session *s, struct coming_slice *slice)
{
	const struct record_slice *asked = slice->asked;

	if (slice->begun || !is_passed(s->points, &asked->first, slice->markers.first))
		return;
	slice->begun = true;
	slice->expected = 0; /* if its end is late, too, that is from here on */
	slice->by_length = is_passed(s->points, &asked->end, slice->markers.end);
	slice->since = progress(s);
	if (slice->state == SLICE_COMING && slice->markers.first != TF_NONE &&
	    s->region.phase != PHASE_RECORD)
		slice->missed = marked_insns_get(s->points->counts, slice->markers.first) -
				(asked->first.marker.count - 1);
}

/*
 * Returns true if all of an open slice is behind. If its end comes much too early, maybe before its
 * begin, or much too late, because threads execute in another order, then the slice has as many
 * instructions as in the earlier run.
 */
static bool is_complete(const struct session *s, struct coming_slice *slice)
{
	const struct record_slice *asked = slice->asked;
	uint64_t length = minus(expected(&asked->end), expected(&asked->first)), so_far;
	bool passed = is_passed(s->points, &asked->end, slice->markers.end);
	bool has_threads = s->tasks.count > 1 && slice->markers.end != TF_NONE;

	if (!slice->begun)
		return false;
	so_far = progress(s) - slice->since;
	if (has_threads && passed && so_far < length)
		slice->by_length |= !points_are_as_long(so_far, length);
	if (slice->by_length)
		return so_far >= length + slack(asked) / 4;
	return passed || (has_threads && so_far > length &&
			  !points_are_as_long(so_far - slack(asked) / 4, length));
}

/* Returns true if the next execution of a marker's instruction is the begin of the slice. */
static bool is_next(const struct session *s, const struct coming_slice *slice)
{
	return slice->markers.first != TF_NONE && !slice->begun &&
	       !executions_left(s->points, &slice->asked->first, slice->markers.first);
}

/*
 * Opens a slice that is near, and ends one whose end is behind or does not come. A slice whose
 * begin is next stays open, however long that takes: the begin can only be met by recording it.
 */
static void look(const struct session *s, struct coming_slice *slice)
{
	bool recording = s->region.phase == PHASE_RECORD;

	if (slice->state == SLICE_DONE)
		return;
	look_at_begin(s, slice);
	if (slice->state == SLICE_COMING && !recording && slice->begun)
		slice->state = SLICE_DONE;
	if (slice->state == SLICE_COMING && is_near(s, slice))
		slice->state = SLICE_OPEN;
	if (slice->state != SLICE_OPEN)
		return;
	if (is_complete(s, slice))
		slice->state = SLICE_DONE;
	else if (is_given_up(s, slice) && (slice->begun || s->options->ordinal_on_miss))
		slice->state = SLICE_DONE;
	else if (is_given_up(s, slice) && !is_next(s, slice)) {
		slice->state = SLICE_COMING;
		slice->waits = true;
	}
}

/* Returns after how many instructions the slice has to be looked at again while recording. */
static uint64_t next_look(const struct session *s, const struct coming_slice *slice)
{
	const struct record_slice *asked = slice->asked;
	const struct points *p = s->points;
	uint64_t far;

	if (slice->state == SLICE_DONE)
		return UINT64_MAX;
	if (slice->state == SLICE_COMING)
		far = step_to(s, slice);
	else if (slice->markers.end == TF_NONE)
		far = minus(expected(&asked->end), p->executed);
	else
		far = minus(expected(&asked->end), position(s));
	if (far < slack(asked) / 4)
		far = slack(asked) / 4;
	return far < UINT64_MAX - p->executed ? p->executed + far : UINT64_MAX;
}

/* ---- phases ---- */

/*
 * Limits the phase so that the begin of a slice that is not open is not passed: by a budget of its
 * marker, or by instructions, of which an execution of the marker's instruction is at least one.
 */
static void limit_to(const struct session *s, const struct coming_slice *slice, uint64_t *budget)
{
	enum { BURST = 1 << 21, MARGIN = 64 };
	const struct record_place *first = &slice->asked->first;
	struct points *p = s->points;
	uint64_t left;
	double each;

	if (slice->markers.first == TF_NONE)
		return;
	left = executions_left(p, first, slice->markers.first);
	each = BURST * (double)first->marker.count / (double)(expected(first) + 1);
	if (!marker_budgets_limit(p->budgets, slice->markers.first, left) && left < *budget) {
		*budget = left;
		p->brief |= left <= EARLY;
	}
	p->rare &= (double)left >= MARGIN * (1 + each);
	if (left < p->room)
		p->room = left;
}

static void advance(struct session *s)
{
	uint64_t n = s->region.whole_budget - s->region.budget;

	s->points->executed += n;
	if (s->region.phase == PHASE_RECORD)
		s->points->recorded += n;
	s->points->executed += s->region.excluded;
	s->region.excluded = 0;
	s->region.whole_budget = s->region.budget;
	s->points->filtered = marked_insns_filtered(s->points->counts);
}

/* Compares the run with the earlier one. Returns false to end the recording. */
static bool check(struct session *s)
{
	struct points *p = s->points;

	if (!p->check)
		return true;
	if (!run_check_look(p->check, s->vector_summary, progress(s))) {
		out_of_memory(s);
		return false;
	}
	return !s->options->strict || !run_check_differs(p->check);
}

/* Shortens the phase if an interval of the earlier run ends in it. */
static void stop_at_interval(const struct session *s, uint64_t *budget)
{
	struct points *p = s->points;
	uint64_t next = p->check ? run_check_next(p->check) : UINT64_MAX;

	p->exact = next != UINT64_MAX && next - progress(s) <= *budget;
	if (p->exact)
		*budget = next - progress(s);
	else
		p->exact = p->brief; /* the phase would end before it has begun */
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
	find_position(s);
	*budget = MOST;
	p->look_at = p->room = UINT64_MAX;
	p->rare = true;
	p->brief = false;
	marker_budgets_lift(p->budgets);
	if (!check(s))
		return POINTS_OVER;
	for (size_t i = 0; i < p->n_slices; i++) {
		struct coming_slice *slice = &p->slices[i];
		uint64_t step, at;

		look(s, slice);
		open |= slice->state == SLICE_OPEN;
		at = next_look(s, slice);
		if (at < p->look_at)
			p->look_at = at;
		if (slice->state != SLICE_COMING)
			continue;
		coming = true;
		limit_to(s, slice, budget);
		step = step_to(s, slice);
		if (step < *budget)
			*budget = step;
	}
	stop_at_interval(s, budget);
	p->parallel = !p->exact && *budget > MANY && p->room > MANY_EXECUTIONS * s->tasks.count;
	return open ? POINTS_RECORD : coming ? POINTS_COUNT : POINTS_OVER;
}

bool points_run_in_parallel(const struct session *s)
{
	return s->points->parallel && s->region.phase == PHASE_SKIP;
}

/*
 * A burst is not counted until it is over, and meanwhile other threads may use up all executions
 * that are left. A superblock may have a marker as often as it has blocks, which are at most those
 * of a hot path (PLAN_BLOCKS).
 */
enum { BLOCKS = 128, LEAST_RECORDS = 512 };

bool points_allow_burst(const struct session *s)
{
	return !s->marker_budgets || s->points->rare ||
	       (s->tasks.count == 1 && s->points->room / BLOCKS >= LEAST_RECORDS);
}

uint64_t points_most_records(const struct session *s)
{
	return !s->marker_budgets || s->points->rare || s->region.phase == PHASE_RECORD
		       ? UINT64_MAX
		       : s->points->room / BLOCKS;
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
	uint64_t budget = atomic_load_explicit(&s->region.budget, memory_order_relaxed);

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
								    .recorded = p->recorded,
								    .filtered = p->filtered };
	add_executions(p);
	return 0;
}

/* Moves the excluded blocks to the result. */
static void take_excluded(const struct points *p, struct record_windows *w)
{
	ARRAY(uint32_t) blocks = { 0 };
	uint32_t id = 0, block;

	while ((block = marked_insns_next_excluded(p->counts, &id)) != TF_NONE &&
	       RESERVE(blocks, blocks.count + 1))
		blocks.at[blocks.count++] = block;
	w->excluded = blocks.at;
	w->n_excluded = blocks.count;
}

void points_take_windows(struct session *s, struct record_windows *w)
{
	struct points *p = s->points;
	struct record_slice_markers *markers = p ? calloc(p->n_slices, sizeof(*markers)) : NULL;

	if (!markers || !RESERVE(p->executions, p->executions.count + marked_insns_n(p->counts)))
		return;
	add_executions(p);
	advance(s);
	for (size_t i = 0; i < p->n_slices; i++) {
		markers[i] = p->slices[i].markers;
		markers[i].missed = p->slices[i].missed;
	}
	*w = (struct record_windows){
		.at = p->windows.at,
		.n = p->windows.count,
		.executions = p->executions.at,
		.n_markers = marked_insns_n(p->counts),
		.slices = markers,
		.executed = p->executed,
	};
	take_excluded(p, w);
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
