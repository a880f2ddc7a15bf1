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
		for (unsigned k = 0; k < l->n_bins; k++)
			report_row(report, name, (uint64_t)l->bins[k].from,
				   latency_bin_to(&l->bins[k]), (uint64_t)l->bins[k].samples);
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
