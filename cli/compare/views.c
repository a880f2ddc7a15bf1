/* SPDX-License-Identifier: MIT */
#include "cli/compare/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/checked.h"
#include "cli/common/json_values.h"
#include "cli/compare/function_view.h"
#include "cli/compare/path_view.h"

static double percent(uint64_t a, uint64_t b)
{
	return a ? 100 * ((double)b - (double)a) / (double)a : b ? NAN : 0;
}

/* ---- traces and totals ------------------------------------------------------------------- */

static void view_traces(const struct comparison *c, struct report *report)
{
	const struct result *results = c->matching->results;

	report_string(report, "a", results[0].file);
	report_string(report, "a_command",
		      json_read_text(result_of(&results[0], "info"), "command"));
	report_string(report, "b", results[1].file);
	report_string(report, "b_command",
		      json_read_text(result_of(&results[1], "info"), "command"));
}

static void put_total(const struct comparison *c, const struct metric *metric, bool unit,
		      struct report *report)
{
	struct report_cell cells[6] = { report_text_cell(metric->name) };
	uint64_t a, b;
	double change;

	if (!result_total(&c->matching->results[0], metric, &a) ||
	    !result_total(&c->matching->results[1], metric, &b))
		return;
	change = percent(a, b);
	cells[1] = report_integer_cell(b - a);
	cells[2] = report_real_cell(change);
	cells[2].known = isfinite(change);
	cells[3] = report_integer_cell(a);
	cells[4] = report_integer_cell(b);
	if (unit)
		cells[5] = report_text_cell(metric->unit);
	report_row_of_cells(report, cells);
}

/* Writes the totals. Text needs no units, which are those of the names. */
static void view_totals(const struct comparison *c, struct report *report)
{
	static const struct report_column columns[] = {
		{ "metric", REPORT_STRING, "" },
		{ "change", REPORT_CHANGE, "" },
		{ "change_percent", REPORT_F64, "" },
		{ "a", REPORT_U64, "" },
		{ "b", REPORT_U64, "" },
		{ "unit", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	struct report_column in_text[6];

	memcpy(in_text, columns, sizeof(in_text));
	in_text[5] = (struct report_column){ NULL, 0, NULL };
	report_text_table(report, "totals", in_text);
	for (size_t i = 0; i < c->metrics->count; i++)
		put_total(c, &c->metrics->at[i], false, report);
	report_data_table(report, "totals", columns);
	for (size_t i = 0; i < c->metrics->count; i++)
		put_total(c, &c->metrics->at[i], true, report);
}

/* ---- phases ------------------------------------------------------------------------------ */

/* Writes the aligned intervals, `together` of them in a row. */
static void put_steps(const struct comparison *c, size_t together, struct report *report)
{
	const struct alignment *alignment = c->alignment;

	for (size_t i = 0; i < alignment->steps.count; i += together) {
		size_t end = i + together < alignment->steps.count ? i + together
								   : alignment->steps.count;
		const struct interval *a = &c->intervals[0].at[alignment->steps.at[i].of[0]];
		const struct interval *b = &c->intervals[1].at[alignment->steps.at[i].of[1]];
		double sum = 0;

		for (size_t j = i; j < end; j++)
			sum += alignment->steps.at[j].distance;
		report_row(report, 100 * sum / (double)(end - i), a->thread, a->first, b->thread,
			   b->first);
	}
}

static void view_phases(const struct comparison *c, struct report *report)
{
	static const struct report_column columns[] = {
		{ "distance_percent", REPORT_F64, "" }, { "a_thread", REPORT_ID, "" },
		{ "a_first", REPORT_U64, "" },          { "b_thread", REPORT_ID, "" },
		{ "b_first", REPORT_U64, "" },          { NULL, 0, NULL },
	};
	enum { TEXT_ROWS = 10 };
	size_t count = c->alignment->steps.count;

	if (count && c->alignment->distance > 0) {
		report_text_table(report, "phases", columns);
		put_steps(c, (count + TEXT_ROWS - 1) / TEXT_ROWS, report);
	}
	report_data_table(report, "phases", columns);
	put_steps(c, 1, report);
}

/* ---- advice ------------------------------------------------------------------------------ */

static const char *state_of(const struct advice_pair *pair)
{
	return !pair->advice[1] ? "gone" : !pair->advice[0] ? "new" : "both";
}

/* Returns the part of the most costly advice from which on a change is shown in text. */
static uint64_t least_change(const struct advice_pairs *list)
{
	enum { FAIR_PART = 50 };
	uint64_t most = 0;

	for (size_t i = 0; i < list->count; i++)
		for (unsigned side = 0; side < 2; side++)
			if (list->at[i].lost_cycles[side] > most)
				most = list->at[i].lost_cycles[side];
	return most / FAIR_PART ? most / FAIR_PART : 1;
}

/* Writes the advice whose lost cycles changed by at least so much. */
static void put_advice(const struct comparison *c, uint64_t least, struct report *report)
{
	for (size_t i = 0; i < c->advice->count; i++) {
		const struct advice_pair *pair = &c->advice->at[i];

		if (advice_change(pair) < least)
			break;
		report_row(report, pair->lost_cycles[1] - pair->lost_cycles[0], state_of(pair),
			   pair->lost_cycles[0], pair->lost_cycles[1],
			   pair->advice[pair->advice[1] ? 1 : 0]);
	}
}

static void view_advice(const struct comparison *c, struct report *report)
{
	static const struct report_column columns[] = {
		{ "lost_cycles_change", REPORT_CHANGE, "" },
		{ "state", REPORT_STRING, "" },
		{ "lost_cycles_a", REPORT_U64, "" },
		{ "lost_cycles_b", REPORT_U64, "" },
		{ "advice", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	uint64_t least = least_change(c->advice);

	if (c->advice->count && advice_change(&c->advice->at[0]) >= least) {
		report_text_table(report, "advice", columns);
		put_advice(c, least, report);
	}
	report_data_table(report, "advice", columns);
	put_advice(c, 0, report);
}

/* ------------------------------------------------------------------------------------------ */

static void view_recordings(const struct comparison *c, struct report *report)
{
	static const struct report_column columns[] = {
		{ "fact", REPORT_STRING, "" },
		{ "a", REPORT_STRING, "" },
		{ "b", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	if (c->recordings->count)
		report_table(report, "recorded_differently", columns);
	else
		report_data_table(report, "recorded_differently", columns);
	for (size_t i = 0; i < c->recordings->count; i++)
		report_row(report, c->recordings->at[i].fact, c->recordings->at[i].values[0],
			   c->recordings->at[i].values[1]);
}

static void view_verdict(const struct comparison *c, struct report *report)
{
	static const struct report_column columns[] = {
		{ "metric", REPORT_STRING, "" },
		{ "change", REPORT_CHANGE, "" },
		{ "function", REPORT_STRING, "" },
		{ "a", REPORT_U64, "" },
		{ "b", REPORT_U64, "" },
		{ "limit", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_data_table(report, "exceeded", columns);
	for (size_t i = 0; i < c->verdict->excesses.count; i++) {
		const struct excess *e = &c->verdict->excesses.at[i];
		char *limit = text_format("%.*s", (int)e->limit->length, e->limit->text);

		report_row(report, e->limit->metric.name, e->values[1] - e->values[0],
			   e->pair == COMPARE_NONE ? NULL
						   : function_of_pair(c->matching, e->pair)->name,
			   e->values[0], e->values[1], limit);
		free(limit);
	}
}

void view_comparison(const struct comparison *c, struct report *report)
{
	view_traces(c, report);
	if (c->alignment)
		report_f64(report, "phase_distance_percent", "", 100 * c->alignment->distance);
	view_totals(c, report);
	view_functions(c, report);
	if (c->paths)
		view_paths(c, report);
	if (c->alignment)
		view_phases(c, report);
	if (c->advice)
		view_advice(c, report);
	view_recordings(c, report);
	if (c->verdict)
		view_verdict(c, report);
}
