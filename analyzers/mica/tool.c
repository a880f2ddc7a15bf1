/* SPDX-License-Identifier: MIT */
#include "analyzers/mica/tool.h"

#include <stdlib.h>

const struct mica_options mica_defaults = {
	.block_size = 64, .page_size = 4096, .windows = "32,64,128,256",
};

enum { NAME_SIZE = 160, COUNTS = 2 };

/* What all states of a run share. */
struct shared {
	struct mica_code code;
	struct mica_setup setup;
	struct itypes_groups groups;
	unsigned n_columns;
	char (*names)[NAME_SIZE];
	struct report_column *columns;	/* of the table of intervals */
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
		itypes_default_groups(groups);
	} else if (!itypes_read_groups(path, groups, error, sizeof(error))) {
		command_error("%s", error);
		return EXIT_FAILED;
	}
	return 0;
}

static bool name_column(const struct shared *shared, unsigned column, char *text)
{
	if (!mica_tool.columns)
		return mica_tool.name(&shared->setup, column, text, NAME_SIZE);
	if (!mica_tool.columns[column])
		return false;
	snprintf(text, NAME_SIZE, "%s", mica_tool.columns[column]);
	return true;
}

static void name_columns(struct shared *shared)
{
	shared->names = mica_alloc(MICA_MAX_NUMBERS, sizeof(*shared->names));
	while (shared->n_columns < MICA_MAX_NUMBERS &&
	       name_column(shared, shared->n_columns, shared->names[shared->n_columns]))
		shared->n_columns++;
	shared->columns = mica_alloc(shared->n_columns + COUNTS + 1, sizeof(*shared->columns));
	shared->columns[0] = (struct report_column){ "instructions", REPORT_U64, "" };
	shared->columns[1] = (struct report_column){ "executions", REPORT_U64, "" };
	for (unsigned i = 0; i < shared->n_columns; i++)
		shared->columns[COUNTS + i] =
			(struct report_column){ shared->names[i], REPORT_U64, "" };
}

int mica_prepare(struct analysis *run)
{
	const struct mica_options *options = run->options;
	struct shared *shared = mica_alloc(1, sizeof(*shared));
	struct mica_setup *setup = &shared->setup;
	int status;

	run->shared = shared;
	/* Paths say how often rep instructions repeat, blocks with their addresses alone. */
	if (!(run->columns & TF_ADDRESSES))
		run->columns |= run->partial ? TF_ADDRESSES : TF_REPETITIONS;
	*setup = (struct mica_setup){
		.intervals = options->interval,
		.exact_intervals = options->exact_intervals,
		.groups = &shared->groups,
		.ppm_lengths = { 12, 8, 4 },
	};
	status = parse_log2("block-size", options->block_size, &setup->block_shift);
	if (!status)
		status = parse_log2("page-size", options->page_size, &setup->page_shift);
	if (!status)
		status = read_groups(options->groups, &shared->groups);
	if (!status && mica_tool.prepare)
		status = mica_tool.prepare(options, setup);
	if (status)
		return status;
	mica_code_init(&shared->code, run->reader);
	setup->numbers = shared->code.numbers;
	name_columns(shared);
	return 0;
}

void mica_finish(struct analysis *run)
{
	struct shared *shared = run->shared;

	if (!shared)
		return;
	mica_code_free(&shared->code);
	itypes_free_groups(&shared->groups);
	free(shared->names);
	free(shared->columns);
	free(shared);
}

static void keep_line(void *opaque, const struct mica_line *line)
{
	struct mica_state *state = opaque;

	state->lines = reallocarray(state->lines, state->n_lines + 1, sizeof(*state->lines));
	if (!state->lines)
		command_out_of_memory();
	state->lines[state->n_lines++] = *line;
}

int mica_start(void *self, const struct analysis *run)
{
	const struct mica_options *options = run->options;
	struct shared *shared = run->shared;
	struct mica_state *state = self;

	state->run.interval = options->interval;
	state->run.emit = keep_line;
	state->run.opaque = state;
	mica_run_add(&state->run, mica_tool.analysis, &shared->setup);
	state->expander.code = &shared->code;
	state->expander.consume = mica_run_feed;
	state->expander.opaque = &state->run;
	return 0;
}

void mica_stop(void *self)
{
	struct mica_state *state = self;

	mica_run_stop(&state->run);
	free(state->lines);
}

int mica_items(void *self, const struct tf_item *item)
{
	struct mica_state *state = self;

	mica_expand(&state->expander, item);
	return 0;
}

static void report_line(const struct shared *shared, const struct mica_line *line,
			struct report *report)
{
	uint64_t cells[COUNTS + MICA_MAX_NUMBERS] = { line->interval.instructions,
						      line->interval.executions };

	for (unsigned i = 0; i < shared->n_columns; i++)
		cells[COUNTS + i] = line->numbers[i];
	report_row_of_counts(report, cells);
}

int mica_report(void *self, const struct analysis *run, struct report *report)
{
	const struct shared *shared = run->shared;
	struct mica_state *state = self;

	mica_run_end(&state->run);
	if (state->run.interval) {
		report_table(report, "intervals", shared->columns);
		for (size_t i = 0; i < state->n_lines; i++)
			report_line(shared, &state->lines[i], report);
		return 0;
	}
	report_u64(report, "instructions", "", state->lines->total.instructions);
	report_u64(report, "executions", "", state->lines->total.executions);
	for (unsigned i = 0; i < shared->n_columns; i++)
		report_u64(report, shared->names[i], "", state->lines->numbers[i]);
	return 0;
}
