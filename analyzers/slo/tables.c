/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/tables.h"

#include <math.h>
#include <string.h>

#include "cli/common/checked.h"

enum { MOST_REFERENCES = 3, MOST_DATA = 3 };

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static size_t shown(const struct slo_advice *advice, size_t top)
{
	return top < advice->n_shown ? top : advice->n_shown;
}

void slo_report_refactorings(struct report *report, const struct slo_advice *advice, size_t top)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },
		{ "kind", REPORT_STRING, "" },
		{ "reuses", REPORT_U64, "" },
		{ "mean_distance", REPORT_F64, "blocks" },
		{ "spatial_percent", REPORT_F64, "" },
		{ "lost_cycles", REPORT_U64, "" },
		{ "share_percent", REPORT_F64, "" },
		{ "cumulative_percent", REPORT_F64, "" },
		{ "advice", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};
	uint64_t lost = 0;

	report_table(report, "refactorings", columns);
	for (size_t i = 0; i < shown(advice, top); i++) {
		const struct slo_refactoring *r = &advice->refactorings.at[i];
		double reuses = (double)r->counts.reuses;

		lost += r->lost;
		report_row(report, (uint64_t)(i + 1), slo_kind_name(r->change.kind),
			   r->counts.reuses, r->counts.distance / reuses,
			   percent((double)r->counts.spatial, reuses), r->lost,
			   percent((double)r->lost, (double)advice->lost),
			   percent((double)lost, (double)advice->lost), r->advice);
	}
}

void slo_report_places(struct report *report, const struct slo_advice *advice, size_t top)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },
		{ "where", REPORT_STRING, "" },
		{ "first", REPORT_STRING, "" },
		{ "second", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_table(report, "places", columns);
	for (size_t i = 0; i < shown(advice, top); i++) {
		const struct slo_refactoring *r = &advice->refactorings.at[i];

		report_row(report, (uint64_t)(i + 1), r->where, r->first, r->second);
	}
}

void slo_report_references(struct report *report, const struct slo_advice *advice, size_t top)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },
		{ "reuses", REPORT_U64, "" },
		{ "share_percent", REPORT_F64, "" },
		{ "mean_distance", REPORT_F64, "blocks" },
		{ "use", REPORT_STRING, "" },
		{ "reuse", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_table(report, "references", columns);
	for (size_t i = 0; i < shown(advice, top); i++) {
		const struct slo_refactoring *r = &advice->refactorings.at[i];

		for (size_t k = 0; k < r->references.count && k < MOST_REFERENCES; k++) {
			const struct slo_reference *reference = &r->references.at[k];
			double reuses = (double)reference->reuses;

			report_row(report, (uint64_t)(i + 1), reference->reuses,
				   percent(reuses, (double)r->counts.reuses),
				   reference->distance / reuses, reference->use, reference->reuse);
		}
	}
}

void slo_report_data(struct report *report, const struct slo_advice *advice, size_t top)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },
		{ "reuses", REPORT_U64, "" },
		{ "share_percent", REPORT_F64, "" },
		{ "data", REPORT_STRING, "" },
		{ NULL, 0, NULL },
	};

	report_table(report, "data", columns);
	for (size_t i = 0; i < shown(advice, top); i++) {
		const struct slo_refactoring *r = &advice->refactorings.at[i];

		for (size_t k = 0; k < r->data.count && k < MOST_DATA; k++)
			report_row(report, (uint64_t)(i + 1), r->data.at[k].reuses,
				   percent((double)r->data.at[k].reuses, (double)r->counts.reuses),
				   r->data.at[k].text);
	}
}

/* ---- misses ------------------------------------------------------------------------------ */

static void report_caches(struct report *report, const struct slo_advice *advice,
			  const struct slo_groups *groups, uint64_t block_size, size_t top)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },
		{ "cache_size_bytes", REPORT_U64, "" },
		{ "misses", REPORT_U64, "" },
		{ "share_percent", REPORT_F64, "" },
		{ NULL, 0, NULL },
	};

	report_table(report, "misses", columns);
	for (size_t i = 0; i < shown(advice, top); i++) {
		const struct slo_counts *counts = &advice->refactorings.at[i].counts;

		for (unsigned k = 0; k < groups->n_caches; k++)
			report_row(report, (uint64_t)(i + 1), groups->caches[k] * block_size,
				   counts->misses[k],
				   percent((double)counts->misses[k],
					   (double)advice->all.misses[k]));
	}
}

/* Returns how many reuses have a distance of at least 2^bin, or of at least 0 for bin 0. */
static uint64_t at_least(const struct slo_counts *counts, unsigned bin)
{
	uint64_t reuses = 0;

	for (; bin < SLO_LOG2_BINS; bin++)
		reuses += counts->log2[bin];
	return reuses;
}

static int compare_counts(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* Returns how many of the numbers, the largest first, make up the given share of their sum. */
static uint64_t needed_for(const uint64_t *numbers, size_t count, double share)
{
	double all = 0, sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		all += (double)numbers[i];
	while (n < count && sum < share * all)
		sum += (double)numbers[n++];
	return n;
}

static void report_needed(struct report *report, const struct slo_advice *advice,
			  uint64_t block_size)
{
	static const struct report_column columns[] = {
		{ "cache_blocks", REPORT_U64, "" },
		{ "cache_size_bytes", REPORT_U64, "" },
		{ "misses", REPORT_U64, "" },
		{ "for_50_percent", REPORT_U64, "" },
		{ "for_80_percent", REPORT_U64, "" },
		{ "for_90_percent", REPORT_U64, "" },
		{ "for_95_percent", REPORT_U64, "" },
		{ "for_99_percent", REPORT_U64, "" },
		{ NULL, 0, NULL },
	};
	uint64_t *misses = checked_array(advice->refactorings.count, sizeof(*misses));

	report_table(report, "refactorings_needed", columns);
	for (unsigned bin = 0; bin < SLO_LOG2_BINS; bin++) {
		uint64_t all = at_least(&advice->all, bin);

		if (!all || !advice->all.log2[bin])
			continue;
		for (size_t i = 0; i < advice->refactorings.count; i++)
			misses[i] = at_least(&advice->refactorings.at[i].counts, bin);
		qsort(misses, advice->refactorings.count, sizeof(*misses), compare_counts);
		report_row(report, UINT64_C(1) << bin, block_size << bin, all,
			   needed_for(misses, advice->refactorings.count, .50),
			   needed_for(misses, advice->refactorings.count, .80),
			   needed_for(misses, advice->refactorings.count, .90),
			   needed_for(misses, advice->refactorings.count, .95),
			   needed_for(misses, advice->refactorings.count, .99));
	}
	free(misses);
}

void slo_report_misses(struct report *report, const struct slo_advice *advice,
		       const struct slo_groups *groups, uint64_t block_size, size_t top)
{
	report_caches(report, advice, groups, block_size, top);
	report_needed(report, advice, block_size);
}

/* ---- histograms -------------------------------------------------------------------------- */

#define DISTANCE_COLUMNS                                                                    \
	{ "distance_from", REPORT_U64, "blocks" }, { "distance_to", REPORT_U64, "blocks" }, \
		{ "reuses", REPORT_U64, "" }, { "share_percent", REPORT_F64, "" },          \
		{ "reuses_from", REPORT_U64, "" },                                          \
	{                                                                                   \
		"share_from_percent", REPORT_F64, ""                                        \
	}

/* A row for a distance: the group's counts, and their share of all. */
struct distance_row {
	uint64_t from, to, reuses, reuses_from;
	double share, share_from; /* percent */
};

static struct distance_row distance_row(const struct slo_counts *counts,
					const struct slo_counts *all, unsigned bin)
{
	uint64_t from = at_least(counts, bin);

	return (struct distance_row){
		.from = bin ? UINT64_C(1) << bin : 0,
		.to = (UINT64_C(2) << bin) - 1,
		.reuses = counts->log2[bin],
		.reuses_from = from,
		.share = percent((double)counts->log2[bin], (double)all->log2[bin]),
		.share_from = percent((double)from, (double)at_least(all, bin)),
	};
}

static void report_ranks(struct report *report, const struct slo_advice *advice, size_t top)
{
	static const struct report_column columns[] = {
		{ "rank", REPORT_ID, "" },
		DISTANCE_COLUMNS,
		{ NULL, 0, NULL },
	};

	report_table(report, "histogram", columns);
	for (size_t i = 0; i < shown(advice, top); i++)
		for (unsigned bin = 0; bin < SLO_LOG2_BINS; bin++) {
			const struct slo_counts *counts = &advice->refactorings.at[i].counts;
			struct distance_row d = distance_row(counts, &advice->all, bin);

			if (d.reuses)
				report_row(report, (uint64_t)(i + 1), d.from, d.to, d.reuses,
					   d.share, d.reuses_from, d.share_from);
		}
}

static void report_kinds(struct report *report, const struct slo_advice *advice)
{
	static const struct report_column columns[] = {
		{ "kind", REPORT_STRING, "" },
		DISTANCE_COLUMNS,
		{ NULL, 0, NULL },
	};
	struct slo_counts kinds[REUSE_KINDS] = { 0 };

	for (size_t i = 0; i < advice->refactorings.count; i++)
		slo_counts_merge(&kinds[advice->refactorings.at[i].change.kind],
				 &advice->refactorings.at[i].counts);
	report_table(report, "kinds", columns);
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++)
		for (unsigned bin = 0; bin < SLO_LOG2_BINS; bin++) {
			struct distance_row d = distance_row(&kinds[kind], &advice->all, bin);

			if (d.reuses)
				report_row(report, slo_kind_name(kind), d.from, d.to, d.reuses,
					   d.share, d.reuses_from, d.share_from);
		}
}

void slo_report_histogram(struct report *report, const struct slo_advice *advice, size_t top)
{
	report_kinds(report, advice);
	report_ranks(report, advice, top);
}
