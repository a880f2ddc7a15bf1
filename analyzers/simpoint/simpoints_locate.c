/* SPDX-License-Identifier: MIT */
/* Finds the places of the program where points begin and end. */
#include "analyzers/simpoint/simpoints.h"

#include <inttypes.h>
#include <math.h>

#include "analyzers/simpoint/module_addresses.h"
#include "analyzers/simpoint/run_bounds.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

/* ---- where intervals begin ---------------------------------------------------------------- */

/*
 * Finds where the intervals of a file begin: by their size if the file has it, else by their
 * counts.
 */
static void count_intervals(struct simpoints *s)
{
	const struct bb_rows *rows = &s->rows;
	uint64_t size = rows->interval_size;
	/* exp-bbv's first interval has one instruction more, but may have lost some. */
	bool one_more = size && s->o.counter == COUNTER_EXP_BBV && rows->at[0].sum != (double)size;
	double sum = 0;

	for (size_t i = 0; i < rows->n; i++) {
		sum += rows->at[i].sum;
		s->starts[i + 1] = size ? (i + 1) * size + one_more : (uint64_t)llround(sum);
	}
}

/* Finds where intervals begin. Returns false after a message. */
static bool find_starts(struct simpoints *s)
{
	size_t n = s->rows.n;
	int known = 0;

	s->starts = checked_array(n + 1, sizeof(*s->starts));
	s->filtered = checked_array(n + 1, sizeof(*s->filtered));
	if (s->recorded)
		known = run_starts_read(s->reader, recorded_in_one(s), n, s->starts, s->filtered);
	if (known < 0)
		return false;
	s->has_markers = known;
	if (known) {
		s->info.instructions = s->starts[n];
		s->info.filtered = s->filtered[n];
		return true;
	}
	if (s->reader)
		for (size_t i = 0; i <= n; i++)
			s->starts[i] = interval_start(&s->intervals, i);
	else
		count_intervals(s);
	for (size_t i = 0; i <= n; i++)
		s->filtered[i] = s->starts[i];
	s->info.instructions = s->info.filtered = s->starts[n] - s->starts[0];
	return true;
}

static struct bound bound_at(const struct simpoints *s, size_t interval)
{
	return (struct bound){ .interval = interval,
			       .compared = s->proven.at,
			       .proven = s->proven.at && s->proven.at[interval],
			       .instructions = s->starts[interval],
			       .filtered = s->filtered[interval] };
}

/* Sets the bounds of regions by counts of instructions. */
static void set_bounds(struct simpoints *s)
{
	for (unsigned i = 0; i < s->selection.n; i++) {
		struct region *region = &s->regions[i];
		size_t at = s->selection.at[i].interval, factor = s->o.warmup_factor;

		region->warmup_intervals = at < factor ? at : factor;
		region->start = bound_at(s, at);
		region->end = bound_at(s, at + 1);
		region->warmup = bound_at(s, at - region->warmup_intervals);
	}
}

/* Sums up the clusters of the regions. */
static void sum_clusters(struct simpoints *s)
{
	uint64_t *sums;
	size_t n = 0;

	for (size_t i = 0; i < s->rows.n; i++)
		if (s->selection.labels[i] >= n)
			n = s->selection.labels[i] + 1ul;
	sums = checked_array(n, sizeof(*sums));
	for (size_t i = 0; i < s->rows.n; i++)
		sums[s->selection.labels[i]] += s->filtered[i + 1] - s->filtered[i];
	for (unsigned i = 0; i < s->selection.n; i++)
		if (s->selection.at[i].cluster < n)
			s->regions[i].cluster_filtered = sums[s->selection.at[i].cluster];
	free(sums);
}

/* ---- markers in a trace ------------------------------------------------------------------- */

/* The bounds of a region, in the order of their places. */
enum { WARMUP, START, END, N_BOUNDS };

/* A bound moves by at most this part of an interval to a rarer marker. */
enum { MOVED_PART = 20 };

static struct bound *bound_of(struct region *region, unsigned which)
{
	return which == WARMUP ? &region->warmup : which == START ? &region->start : &region->end;
}

/*
 * Returns the places that the bounds of all regions are at, and at last that of the first
 * instruction.
 */
static struct place *list_places(const struct simpoints *s)
{
	struct place *places = checked_array(N_BOUNDS * (size_t)s->selection.n + 1,
					     sizeof(*places));

	for (unsigned i = 0; i < s->selection.n; i++)
		for (unsigned k = 0; k < N_BOUNDS; k++) {
			struct place *place = &places[N_BOUNDS * i + k];

			place->ordinal = bound_of(&s->regions[i], k)->instructions;
			place->since = k ? place[-1].ordinal : place->ordinal;
		}
	return places;
}

/* Counts executions since the places that were found for the bounds before. */
static void count_since_places(struct place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		places[i].since = places[i % N_BOUNDS ? i - 1 : i].ordinal;
}

/* Finds places for the bounds of regions. Returns false after a message. */
static bool find_places(struct simpoints *s, struct place *places, size_t n)
{
	uint32_t thread = (uint32_t)s->o.thread;
	uint64_t reach = s->rows.interval_size / MOVED_PART + 1;

	if (!places_find(s->reader, thread, places, n + 1) ||
	    !places_limit(s->reader, thread, places, n, s->o.marker_limit, reach))
		return false;
	count_since_places(places, n);
	return places_find(s->reader, thread, places, n);
}

/* Finds the markers of all regions in the executions of a thread. Returns false after a message. */
static bool find_markers(struct simpoints *s)
{
	size_t n = N_BOUNDS * (size_t)s->selection.n;
	struct place *places = list_places(s);
	bool found = find_places(s, places, n);

	for (size_t i = 0; i < n && found; i++) {
		struct bound *bound = bound_of(&s->regions[i / N_BOUNDS], i % N_BOUNDS);

		bound->marker = places[i];
		bound->is_last = !places[i].found && bound->instructions == s->total;
	}
	s->info.first_pc = places[n].pc;
	free(places);
	return found;
}

/* ---- all markers -------------------------------------------------------------------------- */

static void find_module(const struct simpoints *s, const struct module_addresses *modules,
			struct bound *bound)
{
	const struct place *place = &bound->marker;

	if (!place->found)
		return;
	bound->module = tf_module(s->reader, place->module);
	bound->low = module_low_address(modules, place->module, place->pc);
	if (bound->low == UINT64_MAX)
		bound->low = place->pc - place->module_offset;
}

static void find_modules(struct simpoints *s)
{
	struct module_addresses *modules = module_addresses_of(s->reader);

	for (size_t i = 0; i < N_BOUNDS * (size_t)s->selection.n; i++)
		find_module(s, modules, bound_of(&s->regions[i / N_BOUNDS], i % N_BOUNDS));
	module_addresses_free(modules);
}

static bool locate_in_run(struct simpoints *s)
{
	return !s->has_markers || run_markers_find(s->reader, recorded_in_one(s), s->regions,
						   s->selection.n, (unsigned)s->o.jobs);
}

static bool count_program(struct simpoints *s)
{
	struct tf_totals totals;
	struct tf_error error;

	if (tf_get_thread_totals(s->reader, (uint32_t)s->o.thread, &totals, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	s->total = totals.instructions;
	s->info.n_threads = tf_n_threads(s->reader);
	s->info.global = s->all_threads && s->info.n_threads > 1;
	return true;
}

/* Tells of counts that other tools cannot reach: gem5 counts executions in an int. */
static void note_large_counts(struct simpoints *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->selection.n; i++)
		for (unsigned k = s->regions[i].warmup_intervals ? WARMUP : START; k < N_BOUNDS;
		     k++)
			n += bound_of(&s->regions[i], k)->marker.count > s->o.marker_limit;
	if (n && !s->o.quiet)
		command_note("%zu bounds of regions are executions above number %" PRIu64
			     " of their address, which other tools may not reach; record with "
			     "--boundary=loop, or use smaller intervals",
			     n, s->o.marker_limit);
}

bool simpoints_locate(struct simpoints *s)
{
	s->info.command = s->o.command;
	s->info.thread = s->o.thread;
	s->info.intervals = s->points.n;
	s->regions = checked_array(s->selection.n, sizeof(*s->regions));
	for (unsigned i = 0; i < s->selection.n && s->rows.n; i++)
		s->regions[i].function = pc_names_heaviest(
			&s->names, &s->rows, &s->rows.at[s->selection.at[i].interval]);
	if (s->rows.n) {
		if (!find_starts(s))
			return false;
		set_bounds(s);
		sum_clusters(s);
	}
	regions_number(&s->selection, s->regions);
	regions_multiply(&s->selection, s->regions);
	if (!s->reader)
		return true;
	if (!count_program(s))
		return false;
	if (s->parallel.n)
		simpoints_mark_parallel(s);
	else if (!(s->recorded ? locate_in_run(s) : find_markers(s)))
		return false;
	find_modules(s);
	note_large_counts(s);
	return true;
}
