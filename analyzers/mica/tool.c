/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/common/address_space.h"
#include "analyzers/mica/latencies.h"
#include "cli/common/input_file.h"
#include "cli/common/checked.h"
#include "cli/common/command.h"

const struct mica_options mica_defaults = {
	.block_size = 64,
	.page_size = 4096,
	.windows = "32,64,128,256",
};

/* Options on which the states depend that can be merged. */
const char *const mica_state_options[] = { "block-size", "page-size", "fold-registers",
					   "cet",        "windows",   "exact-intervals",
					   "flags",      "latency",   NULL };

enum { NAME_SIZE = 160, LABEL = 1, COUNTS = MICA_COUNTS, MAX_QUOTIENTS = MICA_MAX_NUMBERS };

/* The data that all states of a run share. */
struct shared {
	struct mica_code code;
	struct mica_setup setup;
	struct itypes_groups groups;
	uint32_t *latencies;
	unsigned n_columns; /* of the analysis */
	char (*names)[NAME_SIZE];
	unsigned n_quotients;
	struct mica_quotient *quotients;
	struct report_column *columns; /* a thread's index, COUNTS, numbers, quotients */
};

static int parse_log2(const char *option, uint64_t bytes, unsigned *shift)
{
	if (bytes & (bytes - 1))
		return command_usage_error("--%s: %lu is not a power of two", option,
					   (unsigned long)bytes);
	*shift = __builtin_ctzll(bytes);
	return 0;
}

static int read_groups(const char *path, struct itypes_groups *groups)
{
	char error[512];

	if (!path) {
		itypes_default_groups(groups, false);
	} else if (!expect_file(path, ITYPES_GROUPS_FILE, 0)) {
		return EXIT_FAILED;
	} else if (!itypes_read_groups(path, groups, error, sizeof(error))) {
		command_error("%s", error);
		return EXIT_FAILED;
	}
	return 0;
}

static bool name_column(const struct shared *shared, unsigned column, char *text, const char **unit)
{
	*unit = mica_tool.unit;
	if (!mica_tool.columns)
		return mica_tool.name(&shared->setup, column, text, NAME_SIZE);
	if (!mica_tool.columns[column].name)
		return false;
	*unit = mica_tool.columns[column].unit;
	snprintf(text, NAME_SIZE, "%s", mica_tool.columns[column].name);
	return true;
}

/* Names the quotients. columns: the zeroed columns after those of the numbers. */
static void name_quotients(struct shared *shared, struct report_column *columns)
{
	unsigned n = 0;

	shared->quotients = checked_array(MAX_QUOTIENTS, sizeof(*shared->quotients));
	for (; mica_tool.quotient && mica_tool.quotient(&shared->setup, n, &shared->quotients[n]);
	     n++)
		columns[n] = (struct report_column){ shared->quotients[n].name, REPORT_F64, "" };
	shared->n_quotients = n;
}

static void name_columns(struct shared *shared)
{
	enum { MOST = MICA_MAX_NUMBERS };
	struct report_column *columns = checked_array(LABEL + COUNTS + MOST + MAX_QUOTIENTS + 1,
						      sizeof(*columns));
	unsigned n = 0;

	shared->names = checked_array(MOST, sizeof(*shared->names));
	shared->columns = columns;
	columns[0] = (struct report_column){ "thread", REPORT_STRING, "" };
	columns[1] = (struct report_column){ "mica_instructions", REPORT_U64, "" };
	columns[2] = (struct report_column){ "executions", REPORT_U64, "" };
	columns += LABEL + COUNTS;
	for (; n < MOST && name_column(shared, n, shared->names[n], &columns[n].unit); n++)
		columns[n].name = shared->names[n];
	shared->n_columns = n;
	name_quotients(shared, columns + n);
}

static int prepare_setup(const struct analysis *run, struct shared *shared)
{
	const struct mica_options *options = run->options;
	bool warms_up = run->warms_up, keeps_all = run->keeps_all;
	struct mica_setup *setup = &shared->setup;
	int status;

	*setup = (struct mica_setup){
		.intervals = options->interval || warms_up,
		.keeps_all = options->interval && keeps_all,
		.parts = run->parts,
		.exact_intervals = options->exact_intervals || (!options->interval && warms_up),
		.groups = &shared->groups,
		.ppm_lengths = { 12, 8, 4 },
		.jobs = run->parts ? 1 : run->jobs,
	};
	status = parse_log2("block-size", options->block_size, &setup->block_shift);
	if (!status)
		status = parse_log2("page-size", options->page_size, &setup->page_shift);
	if (!status)
		status = read_groups(options->groups, &shared->groups);
	if (!status && mica_tool.prepare)
		status = mica_tool.prepare(options, setup);
	return status;
}

static int read_code(const struct mica_options *options, struct tf_reader *reader,
		     struct shared *shared)
{
	unsigned dependences = (options->fold ? MICA_FOLDED : 0) |
			       (options->flags ? MICA_WITH_FLAGS : 0) |
			       (options->cet ? MICA_WITH_CET : 0);

	mica_code_init(&shared->code, reader, dependences);
	shared->setup.numbers = shared->code.numbers;
	shared->setup.insns = shared->code.insns;
	if (!options->latencies)
		return 0;
	shared->latencies = mica_read_latencies(options->latencies, &shared->code);
	shared->setup.latencies = shared->latencies;
	return shared->latencies ? 0 : EXIT_FAILED;
}

int mica_prepare(struct analysis *run)
{
	const struct mica_options *options = run->options;
	struct shared *shared = checked_array(1, sizeof(*shared));
	int status;

	run->shared = shared;
	run->accesses |= mica_tool.accesses;
	run->approximate = mica_tool.analysis->sequential && run->warmed_parts;
	run->one_state = !mica_tool.analysis->merge || options->interval ||
			 (mica_tool.analysis->sequential && !run->approximate && !run->n_shares);
	run->in_order |= options->interval != 0; /* intervals are cut in the order of threads */
	/* Paths give the repetitions of rep instructions; blocks give them only with addresses. */
	if (!(run->columns & TF_ADDRESSES))
		run->columns |= run->partial || run->has_warmup ? TF_ADDRESSES : TF_REPETITIONS;
	status = prepare_setup(run, shared);
	if (!status)
		status = read_code(options, run->reader, shared);
	if (status)
		return status;
	run->uses_jobs = mica_tool.analysis->uses_jobs;
	run->one_state |= shared->setup.one_state;
	name_columns(shared);
	run->row_columns = shared->columns;
	return 0;
}

void mica_finish(struct analysis *run)
{
	struct shared *shared = run->shared;

	if (!shared)
		return;
	mica_code_free(&shared->code);
	itypes_free_groups(&shared->groups);
	free(shared->latencies);
	free(shared->names);
	free(shared->quotients);
	free(shared->columns);
	free(shared);
}

static void keep_line(void *opaque, const struct mica_line *line)
{
	struct mica_state *state = opaque;

	uint64_t *row;

	CHECKED_RESERVE(state->rows, state->rows.count + state->width);
	row = state->rows.at + state->rows.count;
	state->rows.count += state->width;
	row[0] = line->interval.instructions;
	row[1] = line->interval.executions;
	memcpy(row + COUNTS, line->numbers, (state->width - COUNTS) * sizeof(*row));
}

static void feed(void *run, const struct mica_event *events, size_t count)
{
	mica_run_feed(run, events, count, mica_instructions(events, count));
}

static void feed_superblock(void *run, const struct mica_superblock_exec *exec)
{
	mica_run_superblock(run, exec);
}

int mica_start(void *self, const struct analysis *run)
{
	const struct mica_options *options = run->options;
	struct shared *shared = run->shared;
	struct mica_state *state = self;

	state->width = COUNTS + shared->n_columns;
	state->run = (struct mica_run){
		.analysis = mica_tool.analysis,
		.interval = options->interval,
		.emit = keep_line,
		.opaque = state,
	};
	mica_run_start(&state->run, &shared->setup);
	if (run->merged && mica_tool.analysis->expect_merge)
		mica_tool.analysis->expect_merge(state->run.state);
	if (run->n_shares)
		mica_tool.analysis->divide(state->run.state, run->share, run->n_shares);
	state->counts_none = run->n_shares && run->share;
	state->expander.code = &shared->code;
	state->expander.consume = feed;
	state->expander.superblock = feed_superblock;
	state->expander.opaque = &state->run;
	return 0;
}

void mica_stop(void *self)
{
	struct mica_state *state = self;

	mica_run_stop(&state->run);
	free(state->rows.at);
}

int mica_items(void *self, const struct tf_item *item)
{
	struct mica_state *state = self;

	state->expander.space = address_space(state->expander.code->reader, item->thread);
	mica_expand(&state->expander, item);
	return 0;
}

void mica_clear(void *self)
{
	struct mica_state *state = self;

	mica_run_forget(&state->run);
	state->rows.count = 0;
}

int mica_merge(void *self, const void *other)
{
	const struct mica_state *later = other;
	struct mica_state *state = self;

	if (later->run.analysis->complete)
		later->run.analysis->complete(later->run.state);
	return mica_run_merge(&state->run, &later->run, !later->counts_none);
}

int mica_save(void *self, struct state_writer *writer)
{
	struct mica_state *state = self;

	if (state->run.analysis->complete)
		state->run.analysis->complete(state->run.state);
	analyzer_put(writer, state->counts_none ? 0 : state->run.now.executions);
	analyzer_put(writer, state->counts_none ? 0 : state->run.now.instructions);
	state->run.analysis->save(state->run.state, writer);
	return 0;
}

int mica_load(void *self, struct state_reader *reader)
{
	struct mica_state *state = self;

	state->run.now.executions = analyzer_take(reader);
	state->run.now.instructions = analyzer_take(reader);
	state->run.analysis->load(state->run.state, reader);
	return 0;
}

/* Returns a quotient, or NaN, which is shown as unknown, if the divisor is 0. */
static double divide(const struct mica_quotient *quotient, const uint64_t *row)
{
	double divisor = (double)row[quotient->divisor];

	return divisor ? quotient->factor * (double)row[quotient->dividend] / divisor : NAN;
}

/* Reports a row. label: NULL for none. */
static void report_one_row(const struct shared *shared, const uint64_t *row, const char *label,
			   struct report *report)
{
	unsigned n_numbers = COUNTS + shared->n_columns;
	struct report_cell *cells = checked_array(LABEL + n_numbers + shared->n_quotients,
						  sizeof(*cells)),
			   *cell = cells;

	if (label)
		*cell++ = (struct report_cell){ .known = true, .string = label };
	for (unsigned i = 0; i < n_numbers; i++)
		*cell++ = (struct report_cell){ .known = true, .u64 = row[i] };
	for (unsigned i = 0; i < shared->n_quotients; i++)
		*cell++ = (struct report_cell){ .known = true,
						.f64 = divide(&shared->quotients[i], row) };
	report_row_of_cells(report, cells);
	free(cells);
}

static void report_rows(const struct mica_state *state, const struct shared *shared,
			const char *label, struct report *report)
{
	for (size_t i = 0; i < state->rows.count; i += state->width)
		report_one_row(shared, state->rows.at + i, label, report);
}

void mica_share(uint64_t part, uint64_t whole, char *text, size_t size)
{
	*text = 0;
	if (whole)
		snprintf(text, size, "%.3f %%", 100.0 * (double)part / (double)whole);
}

static void define_names(struct report *report)
{
	mica_define_counts(report);
	for (const char *const *name = mica_tool.legend; name && *name; name += 2)
		report_define(report, name[0], name[1]);
}

/* Writes the tool's remark beside a number. */
static void remark_on(const struct mica_setup *setup, unsigned i, const uint64_t *row,
		      struct report *report)
{
	char text[NAME_SIZE] = "";

	if (i >= COUNTS && mica_tool.remark)
		mica_tool.remark(setup, i - COUNTS, row, text, sizeof(text));
	if (*text)
		report_remark(report, text);
}

static void report_facts(const struct shared *shared, const uint64_t *row, unsigned width,
			 struct report *report)
{
	const struct report_column *columns = shared->columns + LABEL;

	for (unsigned i = 0; i < width; i++) {
		report_u64(report, columns[i].name, columns[i].unit, row[i]);
		remark_on(&shared->setup, i, row, report);
		if (i >= COUNTS && i < COUNTS + mica_tool.n_in_table)
			report_not_in_text(report);
	}
	for (unsigned i = 0; i < shared->n_quotients; i++) {
		report_f64(report, shared->quotients[i].name, "",
			   divide(&shared->quotients[i], row));
		if (i < mica_tool.n_in_table)
			report_not_in_text(report);
	}
	if (mica_tool.table)
		mica_tool.table(row, report);
}

/* Reports everything in place of the intervals. */
static void report_all(const struct mica_state *state, const struct shared *shared,
		       struct report *report)
{
	uint64_t row[COUNTS + MICA_MAX_NUMBERS];

	row[0] = state->run.total.instructions;
	row[1] = state->run.total.executions;
	state->run.analysis->all(state->run.state, row + COUNTS);
	report_facts(shared, row, state->width, report);
}

int mica_report(void *self, const struct analysis *run, struct report *report)
{
	const struct shared *shared = run->shared;
	const struct report_column *columns = shared->columns + LABEL;
	const struct mica_options *options = run->options;
	struct mica_state *state = self;

	if (!state->ended) /* it may be one of several reports */
		mica_run_end(&state->run);
	state->ended = true;
	define_names(report);
	if (options->interval) {
		report_table(report, "intervals", columns);
		report_rows(state, shared, NULL, report);
	} else if (state->run.interval) {
		report_all(state, shared, report);
	} else {
		report_facts(shared, state->rows.at, state->width, report);
	}
	return 0;
}

/* Ends a state, and returns its numbers. */
static const uint64_t *numbers_of(struct mica_state *state)
{
	if (!state->ended)
		mica_run_end(&state->run);
	state->ended = true;
	return state->rows.at + COUNTS;
}

int mica_compare(void *self, void *other, const struct analysis *run, struct report *report)
{
	static const struct report_column columns[] = {
		{ "number", REPORT_STRING, "" },
		{ "with_warmup", REPORT_U64, "" },
		{ "with_twice_the_warmup", REPORT_U64, "" },
		{ "difference_percent", REPORT_F64, "" },
		{ NULL, 0, NULL },
	};
	const struct shared *shared = run->shared;
	const uint64_t *a = numbers_of(self), *b = numbers_of(other);

	report_table(report, "warmup_check", columns);
	for (unsigned i = 0; i < shared->n_columns; i++)
		report_row(report, shared->names[i], a[i], b[i],
			   b[i] ? 100 * ((double)a[i] - (double)b[i]) / (double)b[i] : NAN);
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if results differ at most in their intervals. */
static bool same_but_intervals(const struct mica_options *a, const struct mica_options *b)
{
	return a->block_size == b->block_size && a->page_size == b->page_size &&
	       same_text(a->windows, b->windows) && a->fold == b->fold && a->flags == b->flags &&
	       a->cet == b->cet && same_text(a->latencies, b->latencies) &&
	       same_text(a->groups, b->groups);
}

/* Returns true if everything is the same with these intervals and without them. */
static bool keeps_all_exact(const struct analysis *run, const struct mica_options *options)
{
	if (mica_tool.analysis == &mica_ilp && !options->exact_intervals)
		return false;
	/* Intervals are cut in the order of threads, in which everything need not be. */
	return mica_tool.analysis->all && (run->n_threads == 1 || !run->analyzer->unordered);
}

bool mica_also(const struct analysis *run, void *all, const void *more)
{
	const struct mica_options *other = more;
	struct mica_options *options = all;

	if (options->interval || !other->interval || !same_but_intervals(options, other) ||
	    !keeps_all_exact(run, other))
		return false;
	options->interval = other->interval;
	options->exact_intervals = other->exact_intervals;
	return true;
}

int mica_row(void *self, const struct analysis *run, const struct analyzer_span *span,
	     struct report *report)
{
	struct mica_state *state = self;

	mica_run_end(&state->run);
	report_rows(state, run->shared, span->thread, report);
	return 0;
}
