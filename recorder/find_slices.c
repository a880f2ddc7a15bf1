/* SPDX-License-Identifier: MIT */
/* Finds the slices in a recording of windows, by counting the executions of their markers again. */
#include <stdlib.h>

#include "recorder/core/marked_insns.h"
#include "recorder/core/points.h"
#include "recorder/recorder.h"

/* A place to be found, by a marker. */
struct wanted {
	uint32_t number;
	uint64_t count;
	/* where the result goes; executed, window: NULL if not wanted */
	uint64_t *step, *filtered, *executed, *window;
	bool *found;
};

/* Where a slice is as long as in the earlier run. */
struct length_end {
	uint64_t step, filtered; /* 0: it is not yet */
};

struct search {
	struct tf_reader *reader;
	const struct record_windows *windows;
	struct marked_insns *counts;
	struct wanted *wanted; /* ascending by number, then by count */
	size_t n_wanted;
	size_t *next;         /* by marker: the wanted place that comes next */
	uint64_t *executions; /* by marker, so far */
	size_t window;        /* the present one */
	uint64_t step;
	uint64_t filtered; /* instructions before that step in the run */
	const struct record_slice *slices;
	struct record_found *found; /* by slice */
	size_t n_slices;
	struct length_end *lengths; /* by slice */
	uint64_t next_length;       /* where, in filtered instructions, the next one is found */
	uint64_t end;               /* steps of the trace */
};

static uint64_t window_end(const struct search *s, size_t window)
{
	return window + 1 < s->windows->n ? s->windows->at[window + 1].recorded : s->end;
}

/* ---- places by instructions ---- */

/* Finds a place by the instructions of all threads before it. */
static void find_ordinal(const struct search *s, uint64_t instructions, struct wanted *w)
{
	for (size_t i = 0; i < s->windows->n && !*w->found; i++) {
		const struct record_window *window = &s->windows->at[i];
		uint64_t behind = instructions - window->executed;

		if (instructions < window->executed || behind > window_end(s, i) - window->recorded)
			continue;
		*w->found = true;
		*w->step = window->recorded + behind;
		if (w->executed)
			*w->executed = instructions;
		if (w->window)
			*w->window = window->recorded;
	}
}

/* ---- places by markers ---- */

static int compare(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->count < y->count ? -1 : x->count > y->count;
}

/* Adds a place to those to be found, or finds it at once. */
static void want(struct search *s, const struct record_place *place, uint32_t number,
		 struct wanted wanted)
{
	if (number == TF_NONE) {
		find_ordinal(s, place->instructions, &wanted);
		return;
	}
	wanted.number = number;
	wanted.count = place->marker.count;
	s->wanted[s->n_wanted++] = wanted;
}

static void want_slices(struct search *s, const struct record_options *o,
			struct record_found *found)
{
	for (size_t i = 0; i < o->n_slices; i++) {
		const struct record_slice_markers *markers = &s->windows->slices[i];
		const struct record_place *end = &o->slices[i].end;

		found[i] = (struct record_found){ .end = s->end };
		want(s, &o->slices[i].first, markers->first,
		     (struct wanted){ .step = &found[i].first,
				      .filtered = &found[i].filtered,
				      .executed = &found[i].executed,
				      .window = &found[i].window,
				      .found = &found[i].first_found });
		if (end->instructions == UINT64_MAX)
			found[i].end_found = true;
		else
			want(s, end, markers->end,
			     (struct wanted){ .step = &found[i].end,
					      .filtered = &found[i].filtered_end,
					      .found = &found[i].end_found });
	}
	qsort(s->wanted, s->n_wanted, sizeof(*s->wanted), compare);
	for (size_t i = s->n_wanted; i--;)
		s->next[s->wanted[i].number] = i;
}

/* Adds the code of the trace, so that marked instructions are found in it. */
static bool learn(struct search *s, const struct record_options *o)
{
	uint32_t number;

	for (size_t i = 0; i < o->n_slices; i++)
		if ((o->slices[i].first.marker.count &&
		     !marked_insns_add(s->counts, &o->slices[i].first.marker, &number)) ||
		    (o->slices[i].end.marker.count &&
		     !marked_insns_add(s->counts, &o->slices[i].end.marker, &number)))
			return false;
	for (uint32_t i = 0; i < tf_n_modules(s->reader); i++) {
		const struct tf_module *module = tf_module(s->reader, i);

		if (module && !marked_insns_module(s->counts, module, i))
			return false;
	}
	for (uint32_t i = 0; i < tf_n_blocks(s->reader); i++) {
		const struct tf_block *block = tf_block(s->reader, i);

		if (block && !marked_insns_block(s->counts, block, i))
			return false;
	}
	for (size_t i = 0; i < s->windows->n_excluded; i++)
		marked_insns_exclude(s->counts, s->windows->excluded[i]);
	for (uint32_t i = 0; i < tf_n_paths(s->reader); i++) {
		const struct tf_path *path = tf_path(s->reader, i);

		if (path && !marked_insns_path(s->counts, path, path->first_exit))
			return false;
	}
	return true;
}

/* Begins the next window once its first step is reached. */
static void enter_window(struct search *s)
{
	const struct record_windows *w = s->windows;

	while (s->window < w->n && w->at[s->window].recorded <= s->step) {
		for (size_t m = 0; m < w->n_markers; m++)
			s->executions[m] = w->executions[s->window * w->n_markers + m];
		s->filtered = w->at[s->window].filtered;
		s->window++;
	}
}

/* Finds the places of a marker's execution, at an instruction of the present path. */
static void find_marked(struct search *s, uint32_t number, unsigned insn, bool excluded)
{
	uint64_t step = s->step + insn;
	const struct record_window *window = &s->windows->at[s->window - 1];
	uint64_t count = ++s->executions[number];
	size_t *next = &s->next[number];

	while (*next < s->n_wanted && s->wanted[*next].number == number &&
	       s->wanted[*next].count < count)
		++*next;
	for (size_t i = *next;
	     i < s->n_wanted && s->wanted[i].number == number && s->wanted[i].count == count; i++) {
		const struct wanted *w = &s->wanted[i];

		*w->found = true;
		*w->step = step;
		*w->filtered = s->filtered + (excluded ? 0 : insn);
		s->next_length = 0; /* to be computed */
		if (w->executed)
			*w->executed = window->executed + (step - window->recorded);
		if (w->window)
			*w->window = window->recorded;
	}
}

/* Returns how many filtered instructions a slice has in the earlier run; 0: not known. */
static uint64_t length_of(const struct record_slice *slice)
{
	bool known = slice->first.marker.count && slice->end.marker.count;

	return known && slice->end.filtered > slice->first.filtered
		       ? slice->end.filtered - slice->first.filtered
		       : 0;
}

/* Notes where slices are as long as in the earlier run. */
static void find_lengths(struct search *s)
{
	s->next_length = UINT64_MAX;
	for (size_t i = 0; i < s->n_slices; i++) {
		uint64_t length = length_of(&s->slices[i]), at = s->found[i].filtered + length;

		if (!length || !s->found[i].first_found || s->lengths[i].step)
			continue;
		if (s->filtered >= at)
			s->lengths[i] = (struct length_end){ s->step, s->filtered };
		else if (at < s->next_length)
			s->next_length = at;
	}
}

/* Ends slices of programs with threads by their lengths, unless their ends are about there. */
static void end_by_length(struct search *s)
{
	for (size_t i = 0; i < s->n_slices; i++) {
		struct record_found *f = &s->found[i];
		uint64_t length = length_of(&s->slices[i]);

		if (!length || !s->lengths[i].step ||
		    (f->end_found && f->filtered_end >= f->filtered &&
		     points_are_as_long(f->filtered_end - f->filtered, length)))
			continue;
		f->ends_by_length = f->end_found = true;
		f->end = s->lengths[i].step;
		f->filtered_end = s->lengths[i].filtered;
	}
}

static void feed(struct search *s, const struct tf_item *item)
{
	for (size_t i = 0; i < item->count; i++) {
		const struct tf_path_exec *exec = &item->paths[i];
		bool excluded = marked_insns_is_excluded(s->counts, exec->exit);
		const struct marked_insn *marked;
		size_t n;

		enter_window(s);
		marked = marked_insns_in_path(s->counts, exec->exit, &n);
		for (size_t k = 0; k < n && s->window; k++)
			if (marked[k].insn < exec->executed)
				find_marked(s, marked[k].number, marked[k].insn, excluded);
		s->step += exec->executed;
		s->filtered += excluded ? 0 : exec->executed;
		if (s->filtered >= s->next_length)
			find_lengths(s);
	}
}

static int search(struct search *s, struct tf_error *error)
{
	struct tf_cursor_options options = TF_CURSOR_OPTIONS;
	struct tf_cursor *cursor;
	struct tf_item item;
	int status;

	options.view = TF_VIEW_PATHS;
	options.thread = TF_MERGED;
	status = tf_cursor_open(s->reader, &options, &cursor, error);
	if (status < 0)
		return status;
	while ((status = tf_next(cursor, &item, error)) > 0)
		if (item.kind == TF_ITEM_PATHS)
			feed(s, &item);
	tf_cursor_close(cursor);
	for (size_t i = 0; i < s->n_slices; i++)
		if (s->found[i].end == s->end)
			s->found[i].filtered_end = s->filtered;
	if (tf_n_threads(s->reader) > 1)
		end_by_length(s);
	return status;
}

/* Finds slices by instructions whose markers are not all in the windows. */
static void find_missed(const struct search *s, const struct record_options *o,
			struct record_found *found)
{
	for (size_t i = 0; i < o->n_slices; i++) {
		const struct record_slice *slice = &o->slices[i];
		struct record_found *f = &found[i], by_ordinal = { 0 };

		if ((f->first_found && f->end_found) || slice->end.instructions == UINT64_MAX)
			continue;
		find_ordinal(s, slice->first.instructions,
			     &(struct wanted){ .step = &by_ordinal.first,
					       .executed = &by_ordinal.executed,
					       .window = &by_ordinal.window,
					       .found = &by_ordinal.first_found });
		find_ordinal(s, slice->end.instructions,
			     &(struct wanted){ .step = &by_ordinal.end,
					       .found = &by_ordinal.end_found });
		by_ordinal.missed = true;
		if (by_ordinal.first_found && by_ordinal.end_found)
			*f = by_ordinal;
	}
}

int record_find_slices(struct tf_reader *reader, const struct record_options *o,
		       const struct record_windows *windows, struct record_found *found,
		       struct tf_error *error)
{
	struct search s = { .reader = reader,
			    .windows = windows,
			    .slices = o->slices,
			    .found = found,
			    .n_slices = o->n_slices,
			    .next_length = UINT64_MAX };
	struct tf_info info;
	int status = tf_get_info(reader, &info, error);

	if (status < 0)
		return status;
	s.end = info.totals.instructions;
	s.counts = marked_insns_new();
	s.wanted = calloc(2 * o->n_slices + 1, sizeof(*s.wanted));
	s.next = calloc(windows->n_markers + 1, sizeof(*s.next));
	s.executions = calloc(windows->n_markers + 1, sizeof(*s.executions));
	s.lengths = calloc(o->n_slices + 1, sizeof(*s.lengths));
	if (s.counts && s.wanted && s.next && s.executions && s.lengths && learn(&s, o)) {
		want_slices(&s, o, found);
		status = s.n_wanted ? search(&s, error) : 0;
		if (status == 0 && o->ordinal_on_miss)
			find_missed(&s, o, found);
	} else {
		status = TF_E_MEMORY;
		*error = (struct tf_error){ .status = TF_E_MEMORY, .text = "out of memory" };
	}
	marked_insns_free(s.counts);
	free(s.wanted);
	free(s.next);
	free(s.executions);
	free(s.lengths);
	return status;
}
