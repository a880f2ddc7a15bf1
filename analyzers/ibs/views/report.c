/* SPDX-License-Identifier: MIT */
#include "analyzers/ibs/views/report.h"

#include <stdio.h>

enum { NAME_SIZE = 96 };

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

void ibs_report_latencies(const struct ibs_summary *summary, struct report *report)
{
	static const struct report_column columns[] = {
		{ "latency", REPORT_STRING, "" },
		{ "samples", REPORT_U64, "" },
		{ "mean", REPORT_F64, "cycles" },
		{ "p10", REPORT_U64, "cycles" },
		{ "p50", REPORT_U64, "cycles" },
		{ "p90", REPORT_U64, "cycles" },
		{ "p99", REPORT_U64, "cycles" },
		{ "max", REPORT_U64, "cycles" },
		{ NULL, 0, NULL },
	};
	char name[NAME_SIZE];
	uint64_t all = 0;

	for (unsigned i = 0; i < IBS_N_METRICS; i++)
		all += summary->metrics[i].count;
	if (!all)
		return;
	report_table(report, "latencies", columns);
	for (unsigned i = 0; i < IBS_N_METRICS; i++) {
		const struct latencies *l = &summary->metrics[i];

		ibs_metric_name(i, name, sizeof(name));
		if (l->count)
			report_row(report, name, l->count, latencies_mean(l),
				   latencies_percentile(l, 10), latencies_percentile(l, 50),
				   latencies_percentile(l, 90), latencies_percentile(l, 99),
				   l->max);
	}
}

void ibs_report_histogram(const struct ibs_summary *summary, struct report *report)
{
	static const struct report_column columns[] = {
		{ "latency", REPORT_STRING, "" },
		{ "from", REPORT_U64, "cycles" },
		{ "to", REPORT_U64, "cycles" },
		{ "samples", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	char name[NAME_SIZE];

	report_table(report, "histogram", columns);
	for (unsigned i = 0; i < IBS_N_METRICS; i++) {
		const struct latencies *l = &summary->metrics[i];

		ibs_metric_name(i, name, sizeof(name));
		for (size_t k = 0; k < l->bins.count; k++)
			report_row(report, name, (uint64_t)l->bins.at[k].from,
				   latency_bin_to(&l->bins.at[k]), (uint64_t)l->bins.at[k].samples);
	}
}

/* Reports a kind of branch. If there are no samples, only their number is reported. */
static void report_branch(const struct ibs_summary *summary, unsigned kind, struct report *report)
{
	const struct ibs_branches *b = &summary->branches[kind];
	const struct latencies *l = &b->latency;
	bool known = l->count;

	report_row_of_cells(report,
			    (struct report_cell[]){
				    { .known = true, .string = ibs_branch_name(kind) },
				    { .known = true, .u64 = l->count },
				    { .known = true,
				      .f64 = percent(l->count, summary->samples[IBS_KIND_OP]) },
				    { .known = true, .u64 = b->mispredicted },
				    { .known = known, .f64 = percent(b->mispredicted, l->count) },
				    { .known = known, .f64 = latencies_mean(l) },
				    { .known = known, .u64 = latencies_percentile(l, 50) },
				    { .known = known, .u64 = latencies_percentile(l, 90) },
			    });
}

void ibs_report_branches(const struct ibs_summary *summary, struct report *report)
{
	static const struct report_column columns[] = {
		{ "branches", REPORT_STRING, "" },
		{ "samples", REPORT_U64, "" },
		{ "share", REPORT_F64, "% of ops" },
		{ "mispredicted", REPORT_U64, "" },
		{ "misprediction_rate", REPORT_F64, "%" },
		{ "tag_to_ret_mean", REPORT_F64, "cycles" },
		{ "tag_to_ret_p50", REPORT_U64, "cycles" },
		{ "tag_to_ret_p90", REPORT_U64, "cycles" },
		{ NULL, 0, NULL },
	};
	uint64_t all = 0;

	for (unsigned i = 0; i < IBS_N_BRANCHES; i++)
		all += summary->branches[i].latency.count;
	if (!all)
		return;
	report_table(report, "branches", columns);
	for (unsigned i = 0; i < IBS_N_BRANCHES; i++)
		report_branch(summary, i, report);
}

static void report_ratios(const struct ibs_event_counts *counts, struct report *report)
{
	static const struct report_column columns[] = {
		{ "ratio", REPORT_STRING, "" },
		{ "value", REPORT_F64, "" },
		{ "unit", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_table(report, "ratios", columns);
	for (unsigned i = 0; i < IBS_N_RATIOS; i++)
		report_row(report, ibs_ratios[i].name, ibs_ratio_value(&ibs_ratios[i], counts),
			   ibs_ratios[i].unit);
}

void ibs_report_events(const struct ibs_event_counts *counts, unsigned sets, struct report *report)
{
	static const struct report_column columns[] = {
		{ "event", REPORT_STRING, "" },
		{ "value", REPORT_U64, "" },
		{ "undecided_samples", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};

	report_table(report, "events", columns);
	for (unsigned i = 0; i < IBS_N_EVENTS; i++)
		if (ibs_events[i].sets & sets && counts->samples[ibs_events[i].kind])
			report_row_of_known(report, ibs_events[i].name,
					    (uint64_t[]){ counts->values[i], counts->undecided[i] },
					    (bool[]){ counts->values[i] || !counts->undecided[i],
						      true });
	if (sets & IBS_ZEN && counts->samples[IBS_KIND_OP])
		report_ratios(counts, report);
}

/* ---- groups ------------------------------------------------------------------------------ */

enum {
	LATENCY_COLUMNS = 6,
	BIN_COLUMNS = 3,
	MAX_COLUMNS = 2 + IBS_MAX_COUNTED + LATENCY_COLUMNS + IBS_MAX_KEY_COLUMNS,
};

static void table_name(const struct ibs_groups *g, const char *what, char *name, size_t size)
{
	snprintf(name, size, "%s%sby_%s", g->kind == IBS_KIND_FETCH ? "fetches_" : "", what,
		 g->keys->name);
}

/* Appends columns "tag_to_ret_mean" and the like. Their names are kept for the next time. */
static size_t latency_columns(const struct ibs_groups *g, struct report_column *columns)
{
	static char names[IBS_N_KINDS][LATENCY_COLUMNS][NAME_SIZE];
	static const char *const of[LATENCY_COLUMNS] = {
		"mean", "sum", "p50", "p90", "p99", "max"
	};

	for (unsigned i = 0; i < LATENCY_COLUMNS; i++) {
		snprintf(names[g->kind][i], NAME_SIZE, "%s_%s", ibs_field_name(g->latency), of[i]);
		columns[i] = (struct report_column){
			names[g->kind][i],
			i ? REPORT_U64 : REPORT_F64,
			"cycles",
		};
	}
	return LATENCY_COLUMNS;
}

static const struct report_column *group_columns(const struct ibs_groups *g)
{
	static struct report_column of_kinds[IBS_N_KINDS][MAX_COLUMNS + 1];
	const struct ibs_counted *counted = ibs_counted[g->kind];
	struct report_column *columns = of_kinds[g->kind];
	size_t n = 0;

	columns[n++] = (struct report_column){ "samples", REPORT_U64, "" };
	columns[n++] = (struct report_column){ "share", REPORT_F64, "%" };
	for (unsigned i = 0; i < IBS_MAX_COUNTED && counted[i].name; i++)
		columns[n++] = (struct report_column){
			counted[i].name,
			REPORT_U64,
			counted[i].sums ? "cycles" : "",
		};
	n += latency_columns(g, &columns[n]);
	n += ibs_keys_columns(g->keys, &columns[n]);
	columns[n].name = NULL;
	return columns;
}

static struct report_cell number(uint64_t value, bool known)
{
	return (struct report_cell){ .known = known, .u64 = value };
}

static size_t latency_cells(const struct latencies *l, struct report_cell *cells)
{
	cells[0] = (struct report_cell){ .known = l->count, .f64 = latencies_mean(l) };
	cells[1] = number(l->sum, l->count);
	cells[2] = number(latencies_percentile(l, 50), l->count);
	cells[3] = number(latencies_percentile(l, 90), l->count);
	cells[4] = number(latencies_percentile(l, 99), l->count);
	cells[5] = number(l->max, l->count);
	return LATENCY_COLUMNS;
}

static void report_group(const struct ibs_groups *g, const struct places *places,
			 const struct ibs_group *group, struct report *report)
{
	struct report_cell cells[MAX_COLUMNS];
	struct ibs_key_texts texts;
	size_t n = 0;

	cells[n++] = number(group->samples, true);
	cells[n++] = (struct report_cell){
		.known = true,
		.f64 = 100.0 * (double)group->samples / (double)g->samples,
	};
	for (unsigned i = 0; i < IBS_MAX_COUNTED && ibs_counted[g->kind][i].name; i++)
		cells[n++] = number(group->counts[i], group->known >> i & 1);
	n += latency_cells(&group->latency, &cells[n]);
	ibs_keys_cells(g->keys, places, group->key.values, &texts, &cells[n]);
	report_row_of_cells(report, cells);
	ibs_key_texts_free(&texts);
}

void ibs_report_groups(const struct ibs_groups *g, const struct places *places, uint64_t top,
		       struct report *report)
{
	char name[NAME_SIZE];

	if (!g->samples)
		return;
	table_name(g, "", name, sizeof(name));
	report_table(report, name, group_columns(g));
	for (uint32_t i = 0; i < g->groups.count && i < top; i++)
		report_group(g, places, &g->groups.at[i], report);
}

/* ---- their histograms -------------------------------------------------------------------- */

static const struct report_column *histogram_columns(const struct ibs_groups *g)
{
	static struct report_column of_kinds[IBS_N_KINDS][BIN_COLUMNS + IBS_MAX_KEY_COLUMNS + 1];
	struct report_column *columns = of_kinds[g->kind];
	size_t n = ibs_keys_columns(g->keys, columns);

	columns[n++] = (struct report_column){ "from", REPORT_U64, "cycles" };
	columns[n++] = (struct report_column){ "to", REPORT_U64, "cycles" };
	columns[n++] = (struct report_column){ "samples", REPORT_U64, "" };
	columns[n].name = NULL;
	return columns;
}

static void report_histogram(const struct ibs_groups *g, const struct places *places,
			     const struct ibs_group *group, struct report *report)
{
	struct report_column columns[IBS_MAX_KEY_COLUMNS];
	struct report_cell cells[IBS_MAX_KEY_COLUMNS + BIN_COLUMNS];
	struct ibs_key_texts texts;
	size_t n = ibs_keys_columns(g->keys, columns);

	ibs_keys_cells(g->keys, places, group->key.values, &texts, cells);
	for (size_t i = 0; i < group->latency.bins.count; i++) {
		const struct latency_bin *bin = &group->latency.bins.at[i];

		cells[n] = number(bin->from, true);
		cells[n + 1] = number(latency_bin_to(bin), true);
		cells[n + 2] = number(bin->samples, true);
		report_row_of_cells(report, cells);
	}
	ibs_key_texts_free(&texts);
}

void ibs_report_group_histograms(const struct ibs_groups *g, const struct places *places,
				 uint64_t top, struct report *report)
{
	char name[NAME_SIZE];

	if (!g->samples)
		return;
	table_name(g, "histogram_", name, sizeof(name));
	report_table(report, name, histogram_columns(g));
	for (uint32_t i = 0; i < g->groups.count && i < top; i++)
		report_histogram(g, places, &g->groups.at[i], report);
}
