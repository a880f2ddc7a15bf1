/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "analyzers/ibs/views/report.h"

enum {
	LATENCY_COLUMNS = 6,
	BIN_COLUMNS = 3,
	MAX_COLUMNS = 2 + IBS_MAX_COUNTED + LATENCY_COLUMNS + IBS_MAX_KEY_COLUMNS,
	NAME_SIZE = 96,
};

static void table_name(const struct ibs_groups *g, const char *what, char *name, size_t size)
{
	snprintf(name, size, "%s%sby_%s", g->kind == IBS_KIND_FETCH ? "fetches_" : "", what,
		 g->keys->name);
}

/* ---- groups ------------------------------------------------------------------------------ */

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

static void report_group(const struct ibs_groups *g, const struct ibs_places *places,
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
	ibs_keys_cells(g->keys, places, ibs_group_values(g, group), &texts, &cells[n]);
	report_row_of_cells(report, cells);
	ibs_key_texts_free(&texts);
}

void ibs_report_groups(const struct ibs_groups *g, const struct ibs_places *places, uint64_t top,
		       struct report *report)
{
	char name[NAME_SIZE];

	if (!g->samples)
		return;
	table_name(g, "", name, sizeof(name));
	report_table(report, name, group_columns(g));
	for (uint32_t i = 0; i < g->numbers.count && i < top; i++)
		report_group(g, places, &g->groups[i], report);
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

static void report_histogram(const struct ibs_groups *g, const struct ibs_places *places,
			     const struct ibs_group *group, struct report *report)
{
	struct report_column columns[IBS_MAX_KEY_COLUMNS];
	struct report_cell cells[IBS_MAX_KEY_COLUMNS + BIN_COLUMNS];
	struct ibs_key_texts texts;
	size_t n = ibs_keys_columns(g->keys, columns);

	ibs_keys_cells(g->keys, places, ibs_group_values(g, group), &texts, cells);
	for (unsigned i = 0; i < group->latency.n_bins; i++) {
		const struct latency_bin *bin = &group->latency.bins[i];

		cells[n] = number(bin->from, true);
		cells[n + 1] = number(latency_bin_to(bin), true);
		cells[n + 2] = number(bin->samples, true);
		report_row_of_cells(report, cells);
	}
	ibs_key_texts_free(&texts);
}

void ibs_report_group_histograms(const struct ibs_groups *g, const struct ibs_places *places,
				 uint64_t top, struct report *report)
{
	char name[NAME_SIZE];

	if (!g->samples)
		return;
	table_name(g, "histogram_", name, sizeof(name));
	report_table(report, name, histogram_columns(g));
	for (uint32_t i = 0; i < g->numbers.count && i < top; i++)
		report_histogram(g, places, &g->groups[i], report);
}
