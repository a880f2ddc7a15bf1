/* SPDX-License-Identifier: MIT */
#include "cli/record/points.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/common/slice_meta.h"
#include "cli/record/points_plan.h"
#include "cli/record/profile.h"
#include "cli/record/run_differences.h"
#include "cli/record/slices.h"
#include "traceformat/tracewriter.h"

enum { META_TEXT = SLICE_META_TEXT, GIVE_UP_INTERVALS = 2 };

/* A slice to be written, and its result. */
struct made {
	char *path;
	uint64_t instructions; /* with its warm-up */
	uint64_t size;         /* bytes of the file */
	double elsewhere; /* part of its instructions that the first run had not; NaN: unknown */
};

struct recording {
	struct arguments *a;
	struct points_plan plan;
	struct profile profile;
	struct record_place *guides; /* of the plan and of the profile */
	char *prefix, *windows;      /* file names: of the slices without number, of the windows */
	struct record_result result;
	struct record_found *found; /* by point */
	struct made *made;
	struct tf_reader *reader;
	size_t n_missing, n_different;
};

/* ---- names ------------------------------------------------------------------------------- */

static bool has_cluster(const struct points_plan *plan, size_t n, uint64_t cluster)
{
	for (size_t i = 0; i < n; i++)
		if (plan->points[i].cluster == cluster)
			return true;
	return false;
}

/* Returns true if each point has a cluster of its own, so that clusters can be names. */
static bool clusters_differ(const struct points_plan *plan)
{
	for (size_t i = 1; i < plan->n; i++)
		if (has_cluster(plan, i, plan->points[i].cluster))
			return false;
	return true;
}

static uint64_t number_of(const struct recording *r, size_t i)
{
	return clusters_differ(&r->plan) ? r->plan.points[i].cluster : i;
}

/* Names all files, and checks that none of them exists. Returns an exit status. */
static int name_files(struct recording *r)
{
	bool force = r->a->options.force;
	int status;

	r->prefix = slice_prefix(r->a);
	if (!r->prefix)
		return EXIT_NOT_RECORDED;
	r->windows = windows_name(r->prefix);
	status = check_output_trace(r->plan.path, r->windows, force);
	for (size_t i = 0; i < r->plan.n && status == EXIT_DONE; i++) {
		r->made[i].path = slice_name(r->prefix, number_of(r, i));
		status = check_output_trace(r->plan.path, r->made[i].path, force);
	}
	return status == EXIT_DONE ? EXIT_DONE : EXIT_NOT_RECORDED;
}

/* ---- META -------------------------------------------------------------------------------- */

/* Writes a marker with the given text of its count. */
static void put_counted(char *text, const struct record_marker *m, const char *count)
{
	if (m->module)
		snprintf(text, META_TEXT, "%s+0x%" PRIx64 " count %s", m->module, m->offset, count);
	else
		snprintf(text, META_TEXT, "0x%" PRIx64 " count %s", m->pc, count);
}

/* Writes a marker as META has it. */
static void put_marker(char *text, const struct record_marker *m)
{
	char count[24];

	snprintf(count, sizeof(count), "%" PRIu64, m->count);
	if (m->count)
		put_counted(text, m, count);
	else
		snprintf(text, META_TEXT, "none");
}

/* Writes a place as messages name it. */
static void put_place(char *text, const struct record_place *place)
{
	char count[COUNT_SIZE];

	if (place->marker.count)
		put_counted(text, &place->marker, format_count(place->marker.count, count));
	else
		snprintf(text, META_TEXT, "instruction %s",
			 format_count(place->instructions, count));
}

/*
 * Returns how many instructions later than in the first run a slice begins: filtered ones, if the
 * second run went by those.
 */
static int64_t drift(const struct recording *r, size_t i)
{
	const struct record_place *first = &r->plan.slices[i].first;

	return r->a->options.filtered && !r->found[i].missed
		       ? (int64_t)(r->found[i].filtered - first->filtered)
		       : (int64_t)(r->found[i].executed - first->instructions);
}

/* Returns the filtered instructions of a slice, or UINT64_MAX if they are not known. */
static uint64_t filtered_of(const struct recording *r, size_t i)
{
	return r->a->options.filtered && !r->found[i].missed
		       ? r->found[i].filtered_end - r->found[i].filtered
		       : UINT64_MAX;
}

/*
 * Returns the multiplier of a slice: the filtered instructions of its cluster, divided by its
 * own. If the second run reached its end earlier or later than the first one, they are not those
 * of the plan.
 */
static double multiplier_of(const struct recording *r, size_t i)
{
	const struct planned_point *p = &r->plan.points[i];
	uint64_t filtered = filtered_of(r, i);

	return p->filtered == UINT64_MAX || filtered == UINT64_MAX || !filtered
		       ? p->multiplier
		       : p->multiplier * (double)p->filtered / (double)filtered;
}

static void describe(const struct recording *r, size_t i, uint64_t warmup, struct slice_meta *meta)
{
	const struct planned_point *p = &r->plan.points[i];
	const struct record_slice *slice = &r->plan.slices[i];
	const struct record_marker none = { 0 };
	char begin[META_TEXT], end[META_TEXT];

	slice_meta_add(meta, "slice.first", "%" PRIu64, r->found[i].executed - warmup);
	if (r->plan.instructions)
		slice_meta_add(meta, "slice.parent-instructions", "%" PRIu64, r->plan.instructions);
	slice_meta_add_point(meta, &(struct slice_point){ .cluster = p->cluster,
							  .interval = p->interval,
							  .interval_size = r->plan.interval_size,
							  .exact = true,
							  .weight = p->weight,
							  .multiplier = multiplier_of(r, i) });
	if (r->plan.profile)
		slice_meta_add(meta, "slice.profile", "%s", r->plan.profile);
	if (!isnan(r->made[i].elsewhere))
		slice_meta_add(meta, "slice.match", "%.17g", 1 - r->made[i].elsewhere);
	slice_meta_add(meta, "slice.drift", "%" PRId64, drift(r, i));
	put_marker(begin, r->found[i].missed ? &none : &slice->first.marker);
	slice_meta_add(meta, "slice.marker-begin", "%s", begin);
	put_marker(end,
		   r->found[i].missed || r->found[i].ends_by_length ? &none : &slice->end.marker);
	slice_meta_add(meta, "slice.marker-end", "%s", end);
	if (filtered_of(r, i) != UINT64_MAX)
		slice_meta_add(meta, "slice.filtered", "%" PRIu64, filtered_of(r, i));
	if (p->tier >= 0)
		slice_meta_add(meta, "slice.tier", "%" PRId64, p->tier);
}

/* ---- slices ------------------------------------------------------------------------------ */

static bool is_present(const struct recording *r, size_t i)
{
	const struct record_found *f = &r->found[i];

	return f->first_found && f->end_found && f->end > f->first;
}

/* Finds the part of a slice's instructions that are elsewhere in the first run. */
static bool compare_slice(struct recording *r, size_t i)
{
	const struct record_found *f = &r->found[i];
	struct tf_error error;

	r->made[i].elsewhere = profile_compare(&r->profile, i, r->reader, f->first, f->end, &error);
	if (error.status < 0)
		command_error("%s", error.text);
	return error.status >= 0;
}

static bool cut_slice(struct recording *r, size_t i)
{
	const struct record_found *f = &r->found[i];
	uint64_t asked = r->plan.slices[i].warmup, room = f->first - f->window;
	uint64_t warmup = asked < room ? asked : room;
	struct made *made = &r->made[i];
	struct slice_meta meta = { 0 };
	struct window_slice slice = {
		.first = f->first - warmup,
		.count = f->end - f->first + warmup,
		.warmup = warmup,
		.meta = &meta,
	};

	describe(r, i, warmup, &meta);
	made->instructions = slice.count;
	return slice_cut(r->a, r->reader, &slice, made->path, &made->size);
}

/* Returns true if the begin or the end of a slice has been passed, although it was not recorded. */
static bool is_behind(const struct recording *r, size_t i, bool end)
{
	const struct record_windows *w = &r->result.windows;
	const struct record_slice *slice = &r->plan.slices[i];
	const struct record_place *place = end ? &slice->end : &slice->first;
	uint32_t marker = end ? w->slices[i].end : w->slices[i].first;

	if (marker == UINT32_MAX)
		return w->executed > place->instructions;
	return w->executions[w->n * w->n_markers + marker] >= place->marker.count;
}

/* Returns true if --strict has ended the recording. */
static bool ended_strictly(const struct recording *r)
{
	return r->a->options.strict && r->result.windows.check.differs;
}

static void report_missing(struct recording *r, size_t i)
{
	const struct record_slice *slice = &r->plan.slices[i];
	bool begins = r->found[i].first_found;
	char place[META_TEXT], interval[COUNT_SIZE], count[COUNT_SIZE], why[META_TEXT];

	r->n_missing++;
	if (ended_strictly(r))
		return;
	put_place(place, begins ? &slice->end : &slice->first);
	if (!begins && r->result.windows.slices[i].missed)
		snprintf(why, sizeof(why),
			 "had been passed by %s executions when it could be reached",
			 format_count(r->result.windows.slices[i].missed, count));
	else if (is_behind(r, i, begins))
		snprintf(why, sizeof(why), "came before the program could be stopped");
	else if (!begins && !r->a->options.ordinal_on_miss)
		snprintf(why, sizeof(why), "was not reached by the program");
	else
		snprintf(why, sizeof(why),
			 "was not reached within %s instructions of its place in run 1",
			 format_count(r->a->options.give_up, count));
	command_warning("slice %" PRIu64 " (interval %s) is not recorded: its %s, %s, %s",
			number_of(r, i), format_count(r->plan.points[i].interval, interval),
			begins ? "end" : "beginning", place, why);
}

/* Returns how many digits of a percentage tell it from 100 %. */
static int digits_of(double percent)
{
	return percent > 99.99 && percent < 100 ? 6 : 2;
}

/* Returns true if the runs execute instructions that are not filtered. */
static bool has_excluded(const struct recording *r)
{
	return r->a->options.filtered && r->plan.filtered &&
	       r->plan.filtered < r->plan.instructions;
}

/* Writes where the slice begins, if not where it did in the first run. */
static void put_drift(const struct recording *r, size_t i, char text[META_TEXT])
{
	int64_t later = drift(r, i);
	uint64_t distance = later < 0 ? -(uint64_t)later : (uint64_t)later;
	char n[COUNT_SIZE], part[META_TEXT / 2] = "";

	*text = '\0';
	if (!distance)
		return;
	if (r->plan.instructions)
		snprintf(part, sizeof(part), " (%.5f of the run)",
			 (double)distance / (double)(has_excluded(r) ? r->plan.filtered
								     : r->plan.instructions));
	snprintf(text, META_TEXT, "begins %s %sinstructions %s than in run 1%s",
		 format_count(distance, n), has_excluded(r) ? "filtered " : "",
		 later < 0 ? "earlier" : "later", part);
}

/* Reports that a slice begins elsewhere, or that it executes other code than in the first run. */
static void report_slice(struct recording *r, size_t i)
{
	static const double most_alike = 0.05;
	double elsewhere = r->made[i].elsewhere, same = 100 * (1 - elsewhere);
	char interval[COUNT_SIZE], begins[META_TEXT], match[META_TEXT] = "";
	bool different = elsewhere > most_alike;

	r->n_different += different;
	if (r->found[i].ends_by_length)
		snprintf(begins, sizeof(begins),
			 "its end came too early or too late, as threads execute in another order; "
			 "it ends after as many instructions as in run 1");
	else if (r->found[i].missed)
		snprintf(begins, sizeof(begins),
			 "its markers were not reached; it begins at the same "
			 "number of instructions as in run 1");
	else
		put_drift(r, i, begins);
	if (!(*begins || elsewhere > 0) || (r->a->quiet && !different))
		return;
	if (!isnan(elsewhere))
		snprintf(match, sizeof(match), "%.*f %% of its instructions as in run 1",
			 digits_of(same), same);
	(different ? command_warning
		   : command_note)("slice %" PRIu64 " (interval %s): %s%s%s", number_of(r, i),
				   format_count(r->plan.points[i].interval, interval), begins,
				   *begins && *match ? "; " : "", match);
}

/* Returns what differs in the interval with which the run departs from the first one. */
static char *describe_departure(const struct recording *r)
{
	const struct record_check *check = &r->result.windows.check;
	char *where, *text;
	double elsewhere = profile_distance(&r->profile,
					    r->profile.intervals.at[check->interval].number,
					    r->reader, check->counts, check->n_counts, &where);

	if (elsewhere > 0 && where)
		text = text_format("%.2g %% of its instructions are other code, most in %s",
				   100 * elsewhere, where);
	else
		text = checked_copy("other threads execute its instructions");
	free(where);
	return text;
}

/* Reports where the run departs from the first one, and why, as far as that is known. */
static void report_departure(const struct recording *r)
{
	const struct record_check *check = &r->result.windows.check;
	char *what, *differences, number[COUNT_SIZE];

	if (!r->profile.reader || r->a->quiet)
		return;
	differences = run_differences(r->profile.reader, r->reader);
	if (!check->differs) {
		if (*differences)
			command_note(
				"no difference from run 1 was found between the slices, but %s",
				differences);
		free(differences);
		return;
	}
	what = describe_departure(r);
	command_note("run 2 departs from run 1 in interval %s (%.1f %% of run 1): %s%s%s",
		     format_count(r->profile.intervals.at[check->interval].number, number),
		     100 * profile_share(&r->profile, check->interval), what,
		     *differences ? "; " : "", differences);
	free(what);
	free(differences);
}

static bool open_windows(struct recording *r)
{
	struct tf_error error;

	if (tf_open(r->windows, &r->reader, &error) == 0 && tf_load(r->reader, &error) == 0 &&
	    record_find_slices(r->reader, &r->a->options, &r->result.windows, r->found, &error) ==
		    0)
		return true;
	command_error("%s", error.text);
	return false;
}

static bool cut_slices(struct recording *r)
{
	if (!open_windows(r))
		return false;
	report_departure(r);
	for (size_t i = 0; i < r->plan.n; i++) {
		if (!is_present(r, i)) {
			slice_remove_old(r->made[i].path);
			report_missing(r, i);
			continue;
		}
		if (!compare_slice(r, i) || !cut_slice(r, i))
			return false;
		report_slice(r, i);
	}
	return true;
}

static void put_summary(const struct recording *r)
{
	const struct record_check *check = &r->result.windows.check;
	uint64_t instructions = 0, bytes = 0;
	char n[COUNT_SIZE], size[COUNT_SIZE], slices[COUNT_SIZE];

	for (size_t i = 0; i < r->plan.n; i++) {
		instructions += r->made[i].instructions;
		bytes += r->made[i].size;
	}
	command_note("%s.*.trace: %s of %zu slices, %s instructions, %s bytes", r->prefix,
		     format_count(r->plan.n - r->n_missing, slices), r->plan.n,
		     format_count(instructions, n), format_count(bytes, size));
	if (check->compared)
		command_note("%s interval%s outside of the slices are the same as in run 1",
			     format_count(check->compared, n), check->compared == 1 ? "" : "s");
}

/* ---- recording --------------------------------------------------------------------------- */

/* Returns true if the recorder has killed the program after the last slice. */
static bool was_killed(const struct recording *r)
{
	return r->a->options.kill_at_end && !strcmp(r->result.stop_reason, "points");
}

/* Returns true if the place is a marker, or the program's begin or end. */
static bool is_marked(const struct record_place *place)
{
	return place->marker.count || !place->instructions || place->instructions == UINT64_MAX;
}

/* Returns true if the second run can go by filtered instructions: no place is given by others. */
static bool is_filtered(const struct points_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (!is_marked(&plan->slices[i].first) || !is_marked(&plan->slices[i].end))
			return false;
	return true;
}

/*
 * Returns after how many instructions a place is not waited for any more. Intervals may be longer
 * by excluded code.
 */
static uint64_t patience(const struct points_plan *plan)
{
	double longer = plan->filtered && plan->filtered < plan->instructions
				? (double)plan->instructions / (double)plan->filtered
				: 1;
	double n = GIVE_UP_INTERVALS * (double)plan->interval_size *
		   (is_filtered(plan) ? 1 : longer);

	return n > 0 && n < (double)INT64_MAX ? (uint64_t)n : UINT64_MAX;
}

/* Returns the guides of the plan and those of the profile. */
static struct record_place *join_guides(struct recording *r)
{
	size_t n = r->plan.n_guides;

	r->guides = checked_array(n + r->profile.guides.count, sizeof(*r->guides));
	for (size_t i = 0; i < n; i++)
		r->guides[i] = r->plan.guides[i];
	for (size_t i = 0; i < r->profile.guides.count; i++)
		r->guides[n + i] = r->profile.guides.at[i];
	return r->guides;
}

/* Returns true if the intervals of the first run end at loops, and so by filtered instructions. */
static bool ends_at_loops(const struct points_plan *plan)
{
	const char *boundary = json_string_value(json_object_get(plan->root, "boundary"));

	return boundary && !strcmp(boundary, "loop");
}

static int record(struct recording *r)
{
	struct record_options *o = &r->a->options;

	o->output = r->windows;
	o->slices = r->plan.slices;
	o->n_slices = r->plan.n;
	o->guides = join_guides(r);
	o->n_guides = r->plan.n_guides + r->profile.guides.count;
	o->intervals = r->profile.intervals.at;
	o->n_intervals = r->profile.intervals.count;
	if (r->profile.reader)
		o->exclude = r->profile.excluded;
	else if (!o->exclude && ends_at_loops(&r->plan))
		o->exclude = "default"; /* as that run did, unless it was asked for other names */
	o->filtered = is_filtered(&r->plan);
	if (o->filtered)
		profile_count_filtered(&r->profile);
	o->give_up = patience(&r->plan);
	if (windows_record(r->a, &r->result) < 0)
		return r->result.exit_status;
	if (!cut_slices(r)) {
		command_error("the windows that were recorded are in %s", r->windows);
		return EXIT_NOT_RECORDED;
	}
	unlink(r->windows);
	if (!r->a->quiet)
		put_summary(r);
	if (r->n_missing || r->n_different)
		return EXIT_MISSED;
	return was_killed(r) ? EXIT_DONE : r->result.exit_status;
}

int points_record(struct arguments *a)
{
	struct recording r = { .a = a };
	int status = EXIT_NOT_RECORDED;

	if (!points_plan_read(a->points, a->warmup, &r.plan))
		return EXIT_NOT_RECORDED;
	r.found = checked_array(r.plan.n, sizeof(*r.found));
	r.made = checked_array(r.plan.n, sizeof(*r.made));
	status = name_files(&r);
	if (status == EXIT_DONE && !profile_read(&r.plan, &r.profile))
		status = EXIT_NOT_RECORDED;
	if (status == EXIT_DONE)
		status = record(&r);
	tf_close(r.reader);
	record_windows_free(&r.result.windows);
	for (size_t i = 0; i < r.plan.n; i++)
		free(r.made[i].path);
	free(r.made);
	free(r.guides);
	profile_free(&r.profile, &r.plan);
	free(r.found);
	free(r.prefix);
	free(r.windows);
	points_plan_free(&r.plan);
	return status;
}
