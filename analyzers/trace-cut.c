/* SPDX-License-Identifier: MIT */
/*
 * trace-cut - cuts parts out of a trace, as traces of their own.
 *
 * The parts are given by simulation points, by a range of instructions, or by the call of a
 * function; tf_cut makes the traces.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzers/simpoint/intervals.h"
#include "analyzers/simpoint/markers.h"
#include "analyzers/common/parallel.h"
#include "analyzers/simpoint/plan_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/loss.h"
#include "cli/common/memory_watch.h"
#include "cli/common/option_parsers.h"
#include "cli/common/output_trace.h"
#include "cli/common/quantity.h"
#include "cli/common/slice_meta.h"
#include "cli/common/trace_input.h"
#include "cli/common/tracereport.h"
#include "cli/common/unfinished.h"
#include "traceformat/tracewriter.h"

struct options {
	const char *trace, *output, *simpoints, *weights, *symbol;
	uint64_t from, count, nth, warmup, thread, interval, jobs;
	mode_t mode;
	bool from_given, force, quiet, counter_given;
	enum counter counter;
	enum report_format format;
};

/* A slice to make, and its result. */
struct slice {
	char *path;
	struct plan_point point; /* cluster UINT64_MAX: of no simulation point */
	uint64_t first, count, warmup;
	bool is_file;  /* not a pipe, whose size is not known */
	uint64_t size; /* of the file, bytes */
	int status;
	struct tf_error error;
};

struct cutting {
	const struct options *o;
	struct tf_reader *reader;
	struct tf_info info;
	uint32_t thread;       /* TF_MERGED: all */
	uint64_t instructions; /* of the thread, or all */
	uint64_t interval;     /* of the points; 0: not known */
	bool exact;
	struct slice *slices;
	size_t n;
	int status; /* exit code */
};

/* ---- what to cut ------------------------------------------------------------------------- */

static bool choose_thread(struct cutting *c, uint64_t wanted)
{
	struct tf_totals totals;
	struct tf_error error;

	c->thread = wanted == UINT64_MAX ? TF_MERGED : (uint32_t)wanted;
	c->instructions = c->info.totals.instructions;
	if (wanted == UINT64_MAX)
		return true;
	if (!check_thread(c->o->trace, wanted, c->info.n_threads)) {
		c->status = EXIT_UNSUITABLE;
		return false;
	}
	if (tf_get_thread_totals(c->reader, c->thread, &totals, &error) < 0) {
		command_error("%s", error.text);
		return false;
	}
	c->instructions = totals.instructions;
	return true;
}

static void refuse_point(const struct cutting *c, size_t n_intervals, uint64_t interval)
{
	char n[COUNT_SIZE], size[COUNT_SIZE], wanted[COUNT_SIZE];

	command_error("%s: thread %" PRIu32 " has %s intervals of %s instructions, but a point is "
		      "interval %s",
		      c->o->trace, c->thread, format_count(n_intervals, n),
		      format_count(c->interval, size), format_count(interval, wanted));
}

/* Finds the places of counted intervals in the trace, by ordinals. */
static bool locate_points(struct cutting *c, const struct plan *plan)
{
	struct intervals intervals;
	bool found = true;

	if (!c->interval) {
		command_error("%s: does not state the size of its intervals; use --interval=N",
			      c->o->simpoints);
		return false;
	}
	if (!intervals_find(c->reader, c->o->trace, c->thread, c->interval,
			    c->exact ? COUNTER_EXACT : COUNTER_EXP_BBV, &intervals))
		return false;
	for (size_t i = 0; i < plan->n && found; i++) {
		struct plan_point *p = &plan->at[i];

		found = p->interval < intervals.n;
		if (found) {
			p->start = interval_start(&intervals, p->interval);
			p->end = interval_start(&intervals, p->interval + 1);
		} else {
			refuse_point(c, intervals.n, p->interval);
		}
	}
	intervals_clear(&intervals);
	return found;
}

static void refuse_marker(const struct cutting *c, const struct marker *marker)
{
	char count[COUNT_SIZE];

	command_error("%s: 0x%" PRIx64 " is not executed %s times, as %s says; was it made of "
		      "another run?",
		      c->o->trace, marker->pc, format_count(marker->count, count), c->o->simpoints);
}

/* Warns that executions of all threads are counted in an order that is not exact. */
static void note_order(const struct cutting *c)
{
	if (c->thread == TF_MERGED && c->info.n_threads > 1 && !c->info.order_exact)
		command_warning(
			"%s has the order of its threads only approximately, so slices begin "
			"and end near their places; record it with --threads=serial, or the "
			"slices with trace-record --points",
			c->o->trace);
}

/*
 * Finds the places of markers in the trace; a bound without a marker is the program's begin or end.
 */
static bool locate_markers(struct cutting *c, struct plan *plan)
{
	struct marker **markers = checked_array(2 * plan->n, sizeof(*markers));
	bool found;

	for (size_t i = 0; i < plan->n; i++) {
		markers[2 * i] = &plan->at[i].first;
		markers[2 * i + 1] = &plan->at[i].behind;
	}
	markers_resolve(c->reader, markers, 2 * plan->n);
	note_order(c);
	found = markers_find(c->reader, c->thread, markers, 2 * plan->n);
	free(markers);
	for (size_t i = 0; i < plan->n && found; i++) {
		struct plan_point *p = &plan->at[i];

		found = (p->first.found || !p->first.count) &&
			(p->behind.found || !p->behind.count);
		if (!found) {
			refuse_marker(c,
				      p->first.found || !p->first.count ? &p->behind : &p->first);
			break;
		}
		p->start = p->first.count ? p->first.ordinal : 0;
		p->end = p->behind.count ? p->behind.ordinal : c->instructions;
		found = p->end >= p->start;
		if (!found)
			command_error("%s: region %zu ends before it begins in %s", c->o->simpoints,
				      i + 1, c->o->trace);
	}
	return found;
}

static bool check_origin(const struct cutting *c, const struct plan *plan)
{
	struct origin own = origin_of_trace(c->reader, c->info.uuid);
	char text[UUID_TEXT];

	if (plan->of_vectors || !origins_differ(&plan->origin, &own))
		return true;
	command_error("%s: its points are of another trace, not of %s, whose UUID is %s",
		      c->o->simpoints, c->o->trace, uuid_text(c->info.uuid, text));
	return false;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns true if a cluster has several points. */
static bool clusters_repeat(const struct plan *plan)
{
	uint64_t *clusters = checked_array(plan->n, sizeof(*clusters));
	bool repeat = false;

	for (size_t i = 0; i < plan->n; i++)
		clusters[i] = plan->at[i].cluster;
	qsort(clusters, plan->n, sizeof(*clusters), compare_numbers);
	for (size_t i = 1; i < plan->n; i++)
		repeat |= clusters[i] == clusters[i - 1] && clusters[i] != UINT64_MAX;
	free(clusters);
	return repeat;
}

/*
 * Returns the name of the slice of a point, which is by interval too if its cluster does not
 * identify it.
 */
static char *name_slice(const struct options *o, const struct plan_point *point, bool by_interval,
			size_t i)
{
	uint64_t cluster = point->cluster == UINT64_MAX ? i : point->cluster;
	const char *begin = o->output ? o->output : o->trace;
	size_t stem = strlen(begin);

	if (!o->output && stem > 6 && !strcmp(begin + stem - 6, ".trace"))
		stem -= 6;
	if (by_interval)
		return text_format("%.*s.%" PRIu64 ".%" PRIu64 ".trace", (int)stem, begin, cluster,
				   point->interval);
	return text_format("%.*s.%" PRIu64 ".trace", (int)stem, begin, cluster);
}

static void set_range(const struct options *o, struct slice *s, uint64_t start, uint64_t count)
{
	s->warmup = o->warmup < start ? o->warmup : start;
	s->first = start - s->warmup;
	s->count = count > UINT64_MAX - s->warmup ? UINT64_MAX : count + s->warmup;
}

/* Returns the thread of the points. */
static uint64_t planned_thread(const struct options *o, const struct plan *plan)
{
	if (o->thread != UINT64_MAX)
		return o->thread;
	if (plan->global)
		return UINT64_MAX;
	return plan->thread != UINT64_MAX ? plan->thread : 0;
}

static bool plan_points(struct cutting *c)
{
	const struct options *o = c->o;
	bool good, by_interval;
	struct plan plan;

	if (!plan_read(o->simpoints, o->weights, &plan))
		return false;
	c->interval = o->interval ? o->interval : plan.interval_size;
	c->exact = o->counter_given ? o->counter == COUNTER_EXACT : plan.exact;
	good = check_origin(c, &plan) && choose_thread(c, planned_thread(o, &plan));
	if (good && plan.has_markers)
		good = locate_markers(c, &plan);
	else if (good && (plan.counted || o->interval))
		good = locate_points(c, &plan);
	c->slices = checked_array(plan.n, sizeof(*c->slices));
	by_interval = clusters_repeat(&plan);
	for (size_t i = 0; i < plan.n && good; i++) {
		struct slice *s = &c->slices[c->n++];

		s->point = plan.at[i];
		s->path = name_slice(o, &plan.at[i], by_interval, i);
		set_range(o, s, s->point.start, s->point.end - s->point.start);
	}
	plan_free(&plan);
	return good;
}

static bool plan_range(struct cutting *c)
{
	const struct options *o = c->o;
	uint64_t from = o->from;

	if (!choose_thread(c, o->thread) ||
	    (o->symbol && !symbol_find(c->reader, c->thread, o->symbol, o->nth, &from)))
		return false;
	c->slices = checked_array(1, sizeof(*c->slices));
	c->n = 1;
	c->slices->point = (struct plan_point){ .cluster = UINT64_MAX,
						.weight = NAN,
						.multiplier = NAN };
	c->slices->path = checked_copy(o->output);
	set_range(o, c->slices, from, o->count);
	return true;
}

/* ---- cutting ----------------------------------------------------------------------------- */

static void describe(const struct cutting *c, const struct slice *s, struct slice_meta *meta)
{
	const struct plan_point *p = &s->point;

	slice_meta_add(meta, "slice.parent-instructions", "%" PRIu64, c->instructions);
	if (p->cluster != UINT64_MAX)
		slice_meta_add_point(meta, &(struct slice_point){ .cluster = p->cluster,
								  .interval = p->interval,
								  .interval_size = c->interval,
								  .exact = c->exact,
								  .weight = p->weight,
								  .multiplier = p->multiplier });
}

static void cut_slice(void *opaque, size_t i)
{
	const struct cutting *c = opaque;
	struct slice *s = &c->slices[i];
	struct slice_meta meta = { 0 };
	struct tf_slice slice = {
		.size = sizeof(slice),
		.thread = c->thread,
		.first = s->first,
		.count = s->count,
		.warmup = s->warmup,
		.meta = meta.lines,
		.jobs = (unsigned)(c->o->jobs / c->n),
	};
	struct unfinished *made = unfinished_file(s->path);
	struct stat file;

	describe(c, s, &meta);
	slice.n_meta = meta.count;
	s->status = tf_cut(c->reader, &slice, s->path, &s->error);
	unfinished_end(made);
	s->is_file = s->status == 0 && stat(s->path, &file) == 0 && S_ISREG(file.st_mode);
	if (s->is_file)
		s->size = (uint64_t)file.st_size;
}

static void refuse_start(const struct cutting *c, uint64_t start)
{
	char from[COUNT_SIZE], n[COUNT_SIZE];

	command_error("%s: there is nothing from instruction %s on; it has %s instructions%s",
		      c->o->trace, format_count(start, from), format_count(c->instructions, n),
		      c->thread == TF_MERGED ? "" : " in this thread");
}

static int by_path(const void *a, const void *b)
{
	return strcmp((*(const struct slice *const *)a)->path,
		      (*(const struct slice *const *)b)->path);
}

/* Returns true if each slice has a name of its own. */
static bool names_differ(const struct cutting *c)
{
	const struct slice **sorted = checked_array(c->n, sizeof(*sorted));
	size_t same = 0;

	for (size_t i = 0; i < c->n; i++)
		sorted[i] = &c->slices[i];
	qsort(sorted, c->n, sizeof(*sorted), by_path);
	for (size_t i = 1; i < c->n && !same; i++)
		same = strcmp(sorted[i - 1]->path, sorted[i]->path) ? 0 : i;
	if (same)
		command_error("%s: has a point of cluster %" PRIu64 " twice", c->o->simpoints,
			      sorted[same]->point.cluster);
	free(sorted);
	return !same;
}

static int check_slices(const struct cutting *c)
{
	int status = EXIT_DONE;

	if (!names_differ(c))
		return EXIT_FAILED;
	for (size_t i = 0; i < c->n && status == EXIT_DONE; i++) {
		const struct slice *s = &c->slices[i];

		if (s->first + s->warmup >= c->instructions) {
			refuse_start(c, s->first + s->warmup);
			return EXIT_FAILED;
		}
		status = check_output_trace(c->o->trace, s->path, c->o->force);
	}
	return status;
}

static int cut_slices(struct cutting *c)
{
	int status = check_slices(c);

	if (status != EXIT_DONE)
		return status;
	parallel_for((unsigned)c->o->jobs, c->n, cut_slice, c);
	for (size_t i = 0; i < c->n; i++)
		if (c->slices[i].status < 0) {
			command_error("%s", c->slices[i].error.text);
			status = EXIT_FAILED;
		} else if (set_trace_mode(c->slices[i].path, c->o->mode) != EXIT_DONE) {
			status = EXIT_FAILED;
		}
	return status;
}

static void put_slice(const struct cutting *c, const struct slice *s, struct report *r)
{
	uint64_t left = c->instructions - s->first;
	char cluster[24];

	snprintf(cluster, sizeof(cluster), "%" PRIu64, s->point.cluster);
	report_row_of_cells(r,
			    (const struct report_cell[]){
				    { .known = true, .string = s->path },
				    { .known = s->point.cluster != UINT64_MAX, .string = cluster },
				    { .known = !isnan(s->point.weight), .f64 = s->point.weight },
				    { .known = true, .u64 = s->first },
				    { .known = true, .u64 = s->warmup },
				    { .known = true, .u64 = s->count < left ? s->count : left },
				    { .known = s->is_file, .u64 = s->size },
			    });
}

static void put_report(const struct cutting *c)
{
	static const struct report_column columns[] = {
		{ "file", REPORT_STRING, "" },   { "cluster", REPORT_STRING, "" },
		{ "weight", REPORT_F64, "" },    { "first", REPORT_U64, "" },
		{ "warmup", REPORT_U64, "" },    { "instructions", REPORT_U64, "" },
		{ "size", REPORT_U64, "bytes" }, { NULL, 0, NULL },
	};
	bool piped = !c->o->simpoints && is_standard_stream(c->o->output);
	struct report *r = report_begin(piped ? stderr : stdout, c->o->format);

	if (c->o->format != REPORT_CSV) {
		report_string(r, "trace", c->o->trace);
		report_u64(r, "instructions", "", c->instructions);
	}
	report_table(r, "slices", columns);
	for (size_t i = 0; i < c->n; i++)
		put_slice(c, &c->slices[i], r);
	report_end(r);
}

static int run(const struct options *o)
{
	struct cutting c = { .o = o, .status = EXIT_FAILED };
	struct tf_error error;

	memory_watch_input(o->trace);
	if (open_trace_input(o->trace, TRACE_PARTS, &c.reader, &error) < 0 ||
	    tf_load(c.reader, &error) < 0 || tf_get_info(c.reader, &c.info, &error) < 0) {
		command_error("%s", error.text);
		tf_close(c.reader);
		return EXIT_FAILED;
	}
	note_loss(o->trace, &c.info);
	if (has_only_vectors(&c.info)) {
		command_error("%s has only basic block vectors; a cut needs executions, which "
			      "trace-record records without --vectors",
			      o->trace);
		c.status = EXIT_UNSUITABLE;
	} else if (c.info.consistent && (o->simpoints ? plan_points(&c) : plan_range(&c)))
		c.status = cut_slices(&c);
	if (c.status == EXIT_DONE && !o->quiet)
		put_report(&c);
	for (size_t i = 0; i < c.n; i++)
		free(c.slices[i].path);
	free(c.slices);
	tf_close(c.reader);
	return c.status;
}

/* ---- the command line -------------------------------------------------------------------- */

OPTION_PARSER(parse_from)
{
	struct options *o = destination;

	o->from_given = true;
	return option_count(option, &o->from, text);
}

OPTION_PARSER(parse_counter)
{
	struct options *o = destination;
	unsigned exact = 0;
	const char *wrong = option_choice(option, &exact, text);

	o->counter_given = true;
	o->counter = exact ? COUNTER_EXACT : COUNTER_EXP_BBV;
	return wrong;
}

#define AT(member) offsetof(struct options, member)

static const struct command_option options_table[] = {
	{ "simpoints", 0, "FILE", "JSON of trace-simpoint, a region CSV, or .simpts", option_text,
	  AT(simpoints) },
	{ "weights", 0, "FILE", "weights of X.simpts (default: X.weights)", option_text,
	  AT(weights) },
	{ "interval", 0, "N", "instructions of an interval, for .simpts", option_positive,
	  AT(interval) },
	{ "counter", 0, "exp-bbv|exact", "counting rules (default: those of FILE)", parse_counter,
	  0 },
	{ "from", 0, "N", "begin at instruction N, from 0", parse_from, 0 },
	{ "from-symbol", 0, "NAME", "", option_text, AT(symbol) },
	{ "nth", 0, "N", "begin at the Nth entry (default 1) of a function", option_positive,
	  AT(nth) },
	{ "count", 0, "N", "cut N instructions (default: to the end)", option_positive, AT(count) },
	{ "warmup", 0, "N", "also cut the N instructions before: region 'warmup'", option_count,
	  AT(warmup) },
	{ "thread", 0, "N", "only this thread (default: all, or the point's)", option_thread,
	  AT(thread) },
	{ "output", 'o', "OUT", "the new trace; for points, OUT.CLUSTER.trace", option_text,
	  AT(output) },
	{ "force", 0, NULL, "replace existing files", option_flag, AT(force) },
	{ "mode", 0, "MODE", "permissions of the traces, octal (default 0600)", option_trace_mode,
	  AT(mode) },
	{ "jobs", 'j', "N", "cores (default: all)", option_positive, AT(jobs) },
	{ "quiet", 'q', NULL, "no report", option_flag, AT(quiet) },
	{ "format", 0, "FMT", "of the report: text (default), json or csv", option_format,
	  AT(format) },
	COMMAND_OPTIONS,
};

static const struct command trace_cut = {
	.name = "trace-cut",
	.usage = "--simpoints=FILE [options] TRACE\n"
		 "--from=N|--from-symbol=NAME [options] -o OUT TRACE\n",
	.summary = "Cut parts out of a trace. Each part becomes a complete trace.",
	.options = options_table,
	.example = "trace-cut --simpoints=gzip.json --warmup=1M -o gzip gzip.trace",
};

/* Checks the options against each other. */
static int check(const struct options *o)
{
	unsigned ways = !!o->simpoints + !!o->symbol + o->from_given;

	if (ways != 1)
		return command_usage_error("exactly one of --simpoints, --from and --from-symbol "
					   "is needed");
	if (!o->simpoints && !o->output)
		return command_usage_error("no output given; use -o OUT");
	if (o->simpoints && o->output && is_standard_stream(o->output))
		return command_usage_error(
			"-o -: slices of simulation points are several files; use -o NAME");
	if (!o->simpoints && (o->weights || o->interval || o->counter_given))
		return command_usage_error("--weights, --interval and --counter need "
					   "--simpoints");
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct options o = {
		.count = UINT64_MAX,
		.nth = 1,
		.thread = UINT64_MAX,
		.jobs = parallel_cores(),
		.format = REPORT_TEXT,
		.mode = TF_FILE_MODE,
	};
	int status;

	command_init(trace_cut.name);
	status = command_parse(&trace_cut, &o, argc, argv);
	if (status == OPTION_DONE)
		status = only_trace(argc, argv, &o.trace);
	if (status != OPTION_DONE)
		return status;
	status = check(&o);
	if (status == EXIT_DONE)
		status = run(&o);

	int written = command_close_stdout();

	return status == EXIT_DONE ? written : status;
}
