/* SPDX-License-Identifier: MIT */
#include "analyzers/slo/html/advice_json.h"

#include "analyzers/slo/html/files.h"
#include "cli/common/checked.h"
#include "cli/common/json_values.h"

enum { MOST_DATA = 6 };

static json_t *real(double value)
{
	return checked(json_real(value));
}

static json_t *percent(double part, double whole)
{
	return real(whole > 0 ? 100 * part / whole : 0);
}

static json_t *bins_of(const struct slo_counts *counts)
{
	json_t *bins = checked(json_array());

	for (unsigned bin = 0; bin < SLO_LOG2_BINS; bin++)
		json_element(bins, json_number(counts->log2[bin]));
	return bins;
}

/* ---- a refactoring ----------------------------------------------------------------------- */

/* Adds a line that the page shows. */
static void add_site(json_t *row, const char *name, const struct html_sources *sources,
		     const struct html_site *site)
{
	if (!html_has_line(sources, site))
		return;
	json_t *place = checked(json_array());

	json_element(place, json_number(site->file));
	json_element(place, json_number(site->line));
	json_member(row, name, place);
}

static json_t *reference_of(const struct slo_html *html, struct html_sources *sources,
			    const struct slo_reference *pair)
{
	struct html_site use = html_insn_site(sources, html->places, pair->first);
	struct html_site reuse = html_insn_site(sources, html->places, pair->second);
	json_t *row = checked(json_object());

	json_member(row, "use", json_text(pair->use));
	json_member(row, "reuse", json_text(pair->reuse));
	json_member(row, "reuses", json_number(pair->reuses));
	json_member(row, "mean_distance", real(pair->distance / (double)pair->reuses));
	add_site(row, "use_site", sources, &use);
	add_site(row, "reuse_site", sources, &reuse);
	return row;
}

static json_t *references_of(const struct slo_html *html, struct html_sources *sources,
			     const struct slo_refactoring *r)
{
	json_t *rows = checked(json_array());

	for (size_t i = 0; i < r->references.count && i < HTML_PAIRS; i++)
		json_element(rows, reference_of(html, sources, &r->references.at[i]));
	return rows;
}

static json_t *data_of(const struct slo_refactoring *r)
{
	json_t *rows = checked(json_array());

	for (size_t i = 0; i < r->data.count && i < MOST_DATA; i++) {
		json_t *row = checked(json_object());

		json_member(row, "data", json_text(r->data.at[i].text));
		json_member(row, "reuses", json_number(r->data.at[i].reuses));
		json_element(rows, row);
	}
	return rows;
}

/* lost: cycles lost by this refactoring and those before. */
static json_t *refactoring_of(const struct slo_html *html, struct html_sources *sources,
			      size_t rank, uint64_t lost)
{
	const struct slo_refactoring *r = &html->advice->refactorings.at[rank - 1];
	double reuses = (double)r->counts.reuses, all = (double)html->advice->lost;
	json_t *row = checked(json_object());

	json_member(row, "rank", json_number(rank));
	json_member(row, "kind", json_word(slo_kind_name(r->change.kind)));
	json_member(row, "reuses", json_number(r->counts.reuses));
	json_member(row, "mean_distance", real(r->counts.distance / reuses));
	json_member(row, "spatial_percent", percent((double)r->counts.spatial, reuses));
	json_member(row, "lost_cycles", json_number(r->lost));
	json_member(row, "share_percent", percent((double)r->lost, all));
	json_member(row, "cumulative_percent", percent((double)lost, all));
	json_member(row, "advice", json_text(r->advice));
	json_member(row, "where", json_text(r->where));
	if (r->first)
		json_member(row, "first", json_text(r->first));
	if (r->second)
		json_member(row, "second", json_text(r->second));
	json_member(row, "bins", bins_of(&r->counts));
	json_member(row, "references", references_of(html, sources, r));
	json_member(row, "data", data_of(r));
	return row;
}

static json_t *refactorings_of(const struct slo_html *html, struct html_sources *sources)
{
	json_t *rows = checked(json_array());
	uint64_t lost = 0;

	for (size_t i = 0; i < html->top && i < html->advice->refactorings.count; i++) {
		lost += html->advice->refactorings.at[i].lost;
		json_element(rows, refactoring_of(html, sources, i + 1, lost));
	}
	return rows;
}

/* ---- all reuses -------------------------------------------------------------------------- */

static json_t *kinds_of(const struct slo_advice *advice)
{
	struct slo_counts sums[REUSE_KINDS] = { 0 };
	json_t *kinds = checked(json_array());

	for (size_t i = 0; i < advice->refactorings.count; i++)
		slo_counts_merge(&sums[advice->refactorings.at[i].change.kind],
				 &advice->refactorings.at[i].counts);
	for (unsigned kind = 0; kind < REUSE_KINDS; kind++) {
		json_t *entry = checked(json_object());

		json_member(entry, "kind", json_word(slo_kind_name(kind)));
		json_member(entry, "bins", bins_of(&sums[kind]));
		json_element(kinds, entry);
	}
	return kinds;
}

static json_t *caches_of(const struct slo_html *html)
{
	json_t *caches = checked(json_array());

	for (unsigned i = 0; i < html->groups->n_caches; i++) {
		uint64_t blocks = html->groups->caches[i];
		json_t *cache = checked(json_object());

		json_member(cache, "cache_blocks", json_number(blocks));
		json_member(cache, "cache_size_bytes", json_number(blocks * html->block_size));
		json_member(cache, "miss_cycles", json_number(html->cycles[i]));
		json_member(cache, "misses", json_number(html->advice->all.misses[i]));
		json_element(caches, cache);
	}
	return caches;
}

json_t *html_advice(const struct slo_html *html, struct html_sources *sources)
{
	json_t *slo = checked(json_object());

	json_member(slo, "instructions", json_number(html->instructions));
	json_member(slo, "touches", json_number(html->touches));
	json_member(slo, "cold_by_thread", json_number(html->cold));
	json_member(slo, "min_distance", json_number(html->shortest));
	json_member(slo, "reuses", json_number(html->reuses));
	json_member(slo, "lost_cycles", json_number(html->advice->lost));
	json_member(slo, "refactorings_found", json_number(html->advice->refactorings.count));
	json_member(slo, "block_size", json_number(html->block_size));
	json_member(slo, "caches", caches_of(html));
	json_member(slo, "bins", bins_of(&html->advice->all));
	json_member(slo, "kinds", kinds_of(html->advice));
	json_member(slo, "refactorings", refactorings_of(html, sources));
	json_member(slo, "files", html_files(sources));
	json_member(slo, "absent_files", html_absent_files(sources));
	json_member(slo, "complete", checked(json_boolean(html->complete)));
	return slo;
}
